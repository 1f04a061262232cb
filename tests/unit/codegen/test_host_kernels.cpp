// Whole kernels: host = interpreter, to the bit.
#include <gtest/gtest.h>

#include "unit/codegen/host_run.h"

namespace cuda_device::codegen::test {
namespace {

std::vector<float> ramp(size_t n, float step) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = step * static_cast<float>(i) - 3;
  return values;
}

std::string triad(const std::string& launch, const std::string& facts) {
  std::string text = R"(kernel "triad"
)" + launch + R"(
param @0 "a": array<float32, 1> FACTS
param @1 "b": array<float32, 1> FACTS
param @2 "c": array<float32, 1> FACTS
param @3 "s": float32
{
  %a = param @0 : array<float32, 1>
  %b = param @1 : array<float32, 1>
  %c = param @2 : array<float32, 1>
  %s = param @3 : float32
  %t = tid #0 : int32
  %i = convert %t : int64
  %n = extent #0, %a : int64
  %in = lt %i, %n : bool
  if %in {
    %x = load %b, %i : float32
    %y = load %c, %i : float32
    %z = fma %s, %y, %x : float32
    store %a, %i, %z
  }
}
)";
  for (size_t at; (at = text.find("FACTS")) != std::string::npos;) text.replace(at, 5, facts);
  return text;
}

TestArguments triad_arguments(size_t n) {
  return {TestArray::of(ScalarKind::F32, std::vector<float>(n, -1)),
          TestArray::of(ScalarKind::F32, ramp(n, 0.5f)), TestArray::of(ScalarKind::F32, ramp(n, 2)),
          TestArgument::f32(3)};
}

constexpr char kFacts[] = "unit_inner contiguous element_aligned fits_31 no_alias";

TEST(HostKernels, Triad) {
  expect_same(triad("", ""), triad_arguments(1000), {{9, 1, 1}, {128, 1, 1}});
  expect_same(triad("", kFacts), triad_arguments(1000), {{5, 1, 1}, {250, 1, 1}});
  expect_same(triad("launch block 256 1 1 grid_fits_31", kFacts), triad_arguments(1000),
              {{4, 1, 1}, {256, 1, 1}});
  expect_same(triad("launch block 100 1 1 grid_fits_31", kFacts), triad_arguments(1000),
              {{12, 1, 1}, {100, 1, 1}});
}

}  // namespace
}  // namespace cuda_device::codegen::test
