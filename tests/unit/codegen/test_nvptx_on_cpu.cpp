// The PTX target's scalar emission against the interpreter, on this CPU.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

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
  constexpr int64_t kThreads = 512;
  constexpr int8_t kSome[] = {0, 1, 2, 7, 31, -1, -2, -7, INT8_MIN, INT8_MIN + 1, INT8_MAX};
  std::mt19937_64 random(2);
  std::vector<int8_t> numbers(3 * kThreads);
  for (int8_t& v : numbers)
    v = random() % 3 != 0 ? kSome[random() % std::size(kSome)] : static_cast<int8_t>(random());
  const TestArguments arguments = {TestArray::of(ScalarKind::I8, numbers),
                                   TestArray::of_bytes(ScalarKind::I64, {kThreads})};
  expect_scalar_same(*f, arguments, {.grid = {4, 1, 1}, .block = {kThreads / 4, 1, 1}});
}

}  // namespace
}  // namespace cuda_device::codegen::test
