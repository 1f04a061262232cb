// The PTX target's scalar emission against the interpreter, on this CPU.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "unit/analysis/random_program.h"
#include "unit/codegen/all_operations.h"
#include "unit/codegen/nvptx_on_cpu.h"

namespace cuda_device::codegen::test {
namespace {

using analysis::testing::RandomProgram;

constexpr int64_t kThreads = 512;

template <class T>
T draw(std::mt19937_64& random) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kSome[] = {0,
                           -0.0,
                           1,
                           -1,
                           0.5,
                           1.5,
                           2.5,
                           -2.5,
                           1e10,
                           -1e10,
                           3e38,
                           1e-40,
                           -1e-45,
                           127.5,
                           255.9,
                           65535.5,
                           2147483647.0,
                           4294967295.0,
                           9.3e18,
                           1.8446744073709552e19,
                           INFINITY,
                           -INFINITY};
    if (random() % 2 == 0) return kSome[random() % std::size(kSome)];
    return static_cast<T>(std::ldexp(static_cast<double>(static_cast<int64_t>(random())),
                                     -63 + static_cast<int>(random() % 120) - 60));
  } else {
    constexpr int64_t kSome[] = {0,         1,         2,        3,         7,        8,  31,
                                 32,        63,        64,       -1,        -2,       -7, INT64_MIN,
                                 INT32_MIN, INT16_MIN, INT8_MIN, INT64_MAX, INT32_MAX};
    return static_cast<T>(random() % 3 != 0 ? kSome[random() % std::size(kSome)]
                                            : static_cast<int64_t>(random()));
  }
}

template <class T>
TestArray drawn(ScalarKind kind, std::mt19937_64& random) {
  std::vector<T> values(static_cast<size_t>(3 * 1024 + kThreads * kRowResults));
  for (size_t i = 0; i < 3 * kThreads; ++i) values[i] = draw<T>(random);
  return TestArray::of(kind, values);
}

TestArray drawn(ScalarKind kind, std::mt19937_64& random) {
  switch (kind) {
    case ScalarKind::F32:
      return drawn<float>(kind, random);
    case ScalarKind::F64:
      return drawn<double>(kind, random);
    case ScalarKind::Bool: {
      std::vector<uint8_t> values(static_cast<size_t>(3 * 1024 + kThreads * kRowResults));
      for (uint8_t& v : values) v = random() % 2;
      return TestArray::of(kind, values);
    }
    default:
      break;
  }
  switch (bytes_of(kind)) {
    case 1:
      return drawn<int8_t>(kind, random);
    case 2:
      return drawn<int16_t>(kind, random);
    case 4:
      return drawn<int32_t>(kind, random);
    default:
      return drawn<int64_t>(kind, random);
  }
}

TEST(PtxOnCpu, EveryExactOperationGivesTheInterpretersBits) {
  std::mt19937_64 random(1);
  for (int k = 0; k < kScalarCount; ++k) {
    SCOPED_TRACE(std::string(name_of(static_cast<ScalarKind>(k))));
    TestArguments arguments;
    for (int a = 0; a < kScalarCount; ++a)
      arguments.emplace_back(drawn(static_cast<ScalarKind>(a), random));
    const auto f = all_operations(static_cast<ScalarKind>(k), Which::Exact);
    expect_scalar_same(*f, arguments, {.grid = {4, 1, 1}, .block = {kThreads / 4, 1, 1}});
  }
}

TestArguments arguments_of(const RandomProgram& p) {
  std::vector<int32_t> input;
  for (int64_t i = 0; i < RandomProgram::kInput; ++i) {
    input.push_back(static_cast<int32_t>(i * 7 - 100));
  }
  int64_t threads = 1;
  for (size_t axis = 0; axis < 3; ++axis)
    threads *= int64_t{p.grid.grid[axis]} * p.grid.block[axis];
  return {TestArray::of(ScalarKind::I32, input),
          TestArray::of_bytes(ScalarKind::I64, {threads, RandomProgram::kResults}), int64_t{5}};
}

TEST(PtxOnCpu, RandomControlFlow) {
  const char* many = std::getenv("CD_FUZZ_PROGRAMS");
  const uint64_t count = many ? std::strtoull(many, nullptr, 10) : 60;
  for (uint64_t seed = 0; seed < count && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomProgram p = analysis::testing::random_program(seed);
    expect_scalar_same(*p.function, arguments_of(p), p.grid);
  }
}

// Counters near the ends of their type, steps up, down and of unknown sign.
TEST(PtxOnCpu, CountersDoNotOverflow) {
  const auto f = ir::parse(R"(kernel "k"
param @0 "in": array<int8, 1>
param @1 "out": array<int64, 1>
slot $0 "k": int8
slot $1 "sum": int64
{
  %0 = param @0 : array<int8, 1>
  %1 = tid #0 : int32
  %2 = convert %1 : int64
  %3 = const 3 : int64
  %4 = mul %2, %3 : int64
  %5 = const 1 : int64
  %6 = add %4, %5 : int64
  %7 = add %6, %5 : int64
  %8 = load %0, %4 : int8
  %9 = load %0, %6 : int8
  %10 = load %0, %7 : int8
  for $0, %8, %9, %10 {
    %11 = slot_load $0 : int8
    %12 = convert %11 : int64
    %13 = slot_load $1 : int64
    %14 = const 31 : int64
    %15 = mul %13, %14 : int64
    %16 = add %15, %12 : int64
    slot_store $1, %16
  } else {
    %17 = slot_load $1 : int64
    %18 = add %17, %5 : int64
    slot_store $1, %18
  }
  %19 = param @1 : array<int64, 1>
  %20 = slot_load $1 : int64
  store %19, %2, %20
}
)");
  std::mt19937_64 random(2);
  std::vector<int8_t> numbers(3 * kThreads);
  for (int8_t& v : numbers) v = draw<int8_t>(random);
  const TestArguments arguments = {TestArray::of(ScalarKind::I8, numbers),
                                   TestArray::of_bytes(ScalarKind::I64, {kThreads})};
  expect_scalar_same(*f, arguments, {.grid = {4, 1, 1}, .block = {kThreads / 4, 1, 1}});
}

}  // namespace
}  // namespace cuda_device::codegen::test
