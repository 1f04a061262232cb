// The PTX target's scalar emission against the interpreter, on this CPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>

#include "unit/analysis/random_program.h"
#include "unit/codegen/nvptx_on_cpu.h"
#include "unit/codegen/op_operands.h"

namespace cuda_device::codegen::test {
namespace {

using analysis::testing::RandomProgram;

TEST(PtxOnCpu, EveryExactOperationGivesTheInterpretersBits) {
  for (int k = 0; k < kScalarCount; ++k) {
    SCOPED_TRACE(std::string(name_of(static_cast<ScalarKind>(k))));
    const OpCases cases = op_cases_of(static_cast<ScalarKind>(k), is_exact_everywhere);
    expect_scalar_same(*kernel_of(cases, OperandShape::Varying), troublesome_arguments(cases),
                       {.grid = {operand_sets() / 100 + 1, 1, 1}, .block = {100, 1, 1}});
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
  const char* many = std::getenv("CUDA_DEVICE_FUZZ_SEEDS");
  const uint64_t count = many ? std::strtoull(many, nullptr, 10) : 60;
  for (uint64_t seed = 0; seed < count && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomProgram p = analysis::testing::random_program(seed);
    expect_scalar_same(*p.function, arguments_of(p), p.grid);
  }
}

// A loop that hashes its counter: from and to `base` and what is read, by what is read or `step`.
std::string counting_loop(const std::string& type, int64_t base, const std::string& step) {
  const auto number = [&](const std::string& name, const std::string& read) {
    return "  %r" + name + " = load %0, %" + read + " : int8\n  %w" + name + " = convert %r" +
           name + " : " + type + "\n  %" + name + " = add %w" + name + ", %base : " + type + "\n";
  };
  return R"(kernel "k"
param @0 "in": array<int8, 1>
param @1 "out": array<int64, 1>
slot $0 "k": )" +
         type + R"(
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
  %base = const )" +
         std::to_string(base) + " : " + type + "\n" + number("from", "4") + number("to", "6") +
         "  %by8 = load %0, %7 : int8\n  %by = " +
         (step.empty() ? "convert %by8 : " + type : "const " + step + " : " + type) + R"(
  for $0, %from, %to, %by {
    %11 = slot_load $0 : )" +
         type + R"(
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
)";
}

void expect_counts(const std::string& loop) {
  constexpr int64_t kThreads = 512;
  constexpr int8_t kSome[] = {0, 1, 2, 7, 31, -1, -2, -7, INT8_MIN, INT8_MIN + 1, INT8_MAX};
  std::mt19937_64 random(2);
  std::vector<int8_t> numbers(3 * kThreads);
  for (int8_t& v : numbers)
    v = random() % 3 != 0 ? kSome[random() % std::size(kSome)] : static_cast<int8_t>(random());
  const TestArguments arguments = {TestArray::of(ScalarKind::I8, numbers),
                                   TestArray::of_bytes(ScalarKind::I64, {kThreads})};
  expect_scalar_same(*ir::parse(loop), arguments,
                     {.grid = {4, 1, 1}, .block = {kThreads / 4, 1, 1}});
}

// Counters near the ends of their type, steps up, down and of unknown sign.
TEST(PtxOnCpu, CountersDoNotOverflow) { expect_counts(counting_loop("int8", 0, "")); }

// Those of 64 bits count in 32 where these hold all they get to: on either side of where they do
// not.
TEST(PtxOnCpu, CountersNearTheEndsOf32Bits) {
  constexpr int64_t k31 = int64_t{1} << 31, k32 = int64_t{1} << 32;
  for (const int64_t end : {int64_t{0}, k31, -k31, k32})
    for (const int64_t aside : {-260, -200, -130, 0, 130, 260})
      for (const std::string step : {"", "1", "100", "-1", "-100"}) {
        SCOPED_TRACE(std::to_string(end) + " and " + std::to_string(aside) + ", step " + step);
        expect_counts(counting_loop("int64", end + aside, step));
        if (step.find('-') == std::string::npos && !step.empty() && end > 0)
          expect_counts(counting_loop("uint64", end + aside, step));
      }
}

}  // namespace
}  // namespace cuda_device::codegen::test
