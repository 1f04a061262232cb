// Every operation, every type, troublesome operands, in lanes and uniform: host = interpreter, in
// every mask form and width of a gang. Estimates have tests of their own
// (tests/kernels/test_fastmath.py).
#include <gtest/gtest.h>

#include <algorithm>

#include "ir/evaluate.h"
#include "unit/codegen/long_tests.h"
#include "unit/codegen/op_operands.h"

namespace cuda_device::codegen::test {
namespace {

void check(const OpCases& cases, OperandShape shape, uint64_t ulps) {
  if (cases.empty()) return;
  const uint32_t n = operand_sets();
  const ir::Grid varying{{(n + 99) / 100, 1, 1}, {100, 1, 1}}, uniform{{n, 1, 1}, {3, 1, 1}};
  expect_same(*kernel_of(cases, shape), troublesome_arguments(cases),
              shape == OperandShape::Varying ? varying : uniform, ulps);
}

class HostOps : public testing::TestWithParam<int> {
 protected:
  ScalarKind kind() const { return static_cast<ScalarKind>(GetParam()); }
  OpCases cases(bool exact) const {
    return op_cases_of(
        kind(), [&](ir::Op op) { return !ir::is_estimate(op) && ir::is_exact(op) == exact; });
  }
};

// The interpreter asks the C library, the host SLEEF: each is within an ulp or two of the truth.
constexpr uint64_t kUlps = 3;

TEST_P(HostOps, InLanes) { check(cases(true), OperandShape::Varying, 0); }
TEST_P(HostOps, Uniform) {
  if (!std::ranges::count(sampled_kinds(), kind())) GTEST_SKIP() << "waits for a long run";
  check(cases(true), OperandShape::Uniform, 0);
}
TEST_P(HostOps, MathInLanes) { check(cases(false), OperandShape::Varying, kUlps); }
TEST_P(HostOps, MathUniform) { check(cases(false), OperandShape::Uniform, kUlps); }

INSTANTIATE_TEST_SUITE_P(Kinds, HostOps, testing::Range(0, kScalarCount), [](const auto& info) {
  return std::string(name_of(static_cast<ScalarKind>(info.param)));
});

}  // namespace
}  // namespace cuda_device::codegen::test
