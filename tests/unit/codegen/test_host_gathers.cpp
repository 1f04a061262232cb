// Where a gather is slow, lanes at constant distances are loaded one by one.
#include <gtest/gtest.h>

#include "unit/codegen/array_compare.h"
#include "unit/codegen/memory_kernels.h"

namespace cuda_device::codegen::test {
namespace {

// A column; and elements at places that memory tells.
constexpr char kColumn[] = R"(kernel "column"
launch block 32 1 1 grid_fits_31
param @0 "out": array<int32, 1> unit_inner contiguous element_aligned fits_31 no_alias
param @1 "a": array<int32, 1> unit_inner contiguous element_aligned fits_31 no_alias
{
  %out = param @0 : array<int32, 1>
  %a = param @1 : array<int32, 1>
  %t = thread_idx #0 : uint32
  %pitch = const 33 : uint32
  %i = mul %t, %pitch : uint32
  %w = load %a, %i : int32
  store %out, %t, %w
}
)";
std::string anywhere() {
  return replaced(kColumn, "%i = mul %t, %pitch : uint32", "%i = load %a, %t : int32");
}

bool gathers(const std::string& text, MaskForm form, const char* tune) {
  std::string assembly;
  compile_way(*ir::parse(text), {form, true, 32, tune}, {nullptr, nullptr, &assembly});
  return assembly.find("gather") != std::string::npos;
}

TEST(HostGathers, NotAtConstantDistancesWhereTheyAreSlow) {
  EXPECT_TRUE(gathers(kColumn, MaskForm::Avx512, Way::kTune));
  EXPECT_FALSE(gathers(kColumn, MaskForm::Avx512, Way::kTuneAmd));
  EXPECT_FALSE(gathers(kColumn, MaskForm::Avx2, Way::kTune));
  EXPECT_FALSE(gathers(kColumn, MaskForm::Avx2, Way::kTuneAmd));
}

TEST(HostGathers, WhereMemoryTellsThePlaces) {
  for (const MaskForm form : {MaskForm::Avx512, MaskForm::Avx2})
    EXPECT_TRUE(gathers(anywhere(), form, Way::kTuneAmd));
}

TEST(HostGathers, EachLaneGetsItsOwn) {
  constexpr int32_t kCount = 32 * 33;
  std::vector<int32_t> numbers(kCount);
  for (int32_t i = 0; i < kCount; ++i) numbers[static_cast<size_t>(i)] = (i * 7 + 5) % kCount;
  TestArray a = TestArray::of_bytes(ScalarKind::I32, {kCount});
  std::memcpy(a.data(), numbers.data(), numbers.size() * sizeof(int32_t));
  for (const std::string& kernel : {std::string(kColumn), anywhere()})
    expect_same(kernel, {TestArray::of_bytes(ScalarKind::I32, {32}), a}, {{1, 1, 1}, {32, 1, 1}});
}

}  // namespace
}  // namespace cuda_device::codegen::test
