// Random control flow: every form, with and without analysis, against the interpreter.
#include <gtest/gtest.h>

#include <cstdlib>

#include "unit/analysis/random_program.h"
#include "unit/codegen/host_run.h"
#include "unit/codegen/long_tests.h"

namespace cuda_device::codegen::test {
namespace {

using analysis::testing::RandomProgram;

TestArguments arguments_of(const RandomProgram& p) {
  std::vector<int32_t> input;
  for (int64_t i = 0; i < RandomProgram::kInput; ++i)
    input.push_back(static_cast<int32_t>(i * 7 - 100));
  int64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) threads *= p.grid.grid[axis] * p.grid.block[axis];
  return {TestArray::of(ScalarKind::I32, input),
          TestArray::of_bytes(ScalarKind::I64, {threads, RandomProgram::kResults}), int64_t{5}};
}

TEST(HostRandom, ControlFlow) {
  const char* many = std::getenv("CUDA_DEVICE_FUZZ_SEEDS");
  const char* first = std::getenv("CUDA_DEVICE_FUZZ_FIRST");
  const uint64_t start = first ? std::strtoull(first, nullptr, 10) : 0;
  const uint64_t count = many ? std::strtoull(many, nullptr, 10) : long_tests() ? 100 : 14;
  for (uint64_t seed = start; seed < start + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomProgram p = analysis::testing::random_program(seed);
    expect_same(*p.function, arguments_of(p), p.grid);
    if (testing::Test::HasFailure()) {
      std::fputs(ir::print(*p.function).c_str(), stderr);
      break;
    }
  }
}

}  // namespace
}  // namespace cuda_device::codegen::test
