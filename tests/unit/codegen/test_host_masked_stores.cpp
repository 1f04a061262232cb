// Where a store under a mask is slow, it is made only where some lanes are on and some are off.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "unit/codegen/array_compare.h"
#include "unit/codegen/memory_kernels.h"

namespace cuda_device::codegen::test {
namespace {

// a[t] = t where keep[t] is not 0.
constexpr char kSome[] = R"(kernel "some"
launch block 96 1 1 grid_fits_31
param @0 "a": array<int32, 1> unit_inner contiguous element_aligned fits_31 no_alias
param @1 "keep": array<int32, 1> unit_inner contiguous element_aligned fits_31 no_alias
{
  %a = param @0 : array<int32, 1>
  %keep = param @1 : array<int32, 1>
  %t = tid #0 : int32
  %zero = const 0 : int32
  %k = load %keep, %t : int32
  %on = ne %k, %zero : bool
  if %on {
    store %a, %t, %t
  }
}
)";

// Three rows of ten threads a gang; those of each thread whose keep is not 0.
constexpr char kRows[] = R"(kernel "rows"
launch block 10 9 1 grid_fits_31
param @0 "a": array<int32, 2> unit_inner contiguous element_aligned fits_31 no_alias
param @1 "keep": array<int32, 2> unit_inner contiguous element_aligned fits_31 no_alias
{
  %a = param @0 : array<int32, 2>
  %keep = param @1 : array<int32, 2>
  %x = tid #0 : int32
  %y = tid #1 : int32
  %zero = const 0 : int32
  %k = load %keep, %y, %x : int32
  %on = ne %k, %zero : bool
  if %on {
    store %a, %y, %x, %x
  }
}
)";

struct Stores {
  long plain = 0, masked = 0;
};

// Stores of vectors, to arrays.
Stores stores_of(const char* text, const char* tune) {
  std::string assembly;
  compile_way(*ir::parse(text), {MaskForm::Avx2, true, 32, tune}, {nullptr, nullptr, &assembly});
  Stores stores;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    if (!line.ends_with(")") || line.find("%rsp") != std::string::npos) continue;
    if (line.starts_with("\tvpmaskmov") || line.starts_with("\tvmaskmov"))
      ++stores.masked;
    else if (line.starts_with("\tvmov"))
      ++stores.plain;
  }
  return stores;
}

TEST(HostMaskedStores, BothFormsForEachVector) {
  const Stores fast = stores_of(kSome, Way::kTune), slow = stores_of(kSome, Way::kTuneAmd);
  EXPECT_GE(fast.masked, 4);
  EXPECT_EQ(fast.plain, 0);
  EXPECT_EQ(slow.masked, fast.masked);
  EXPECT_EQ(slow.plain, fast.masked);
}

TEST(HostMaskedStores, RowsThatAreNoVectors) {
  const Stores fast = stores_of(kRows, Way::kTune), slow = stores_of(kRows, Way::kTuneAmd);
  EXPECT_EQ(fast.plain, 0);
  EXPECT_GE(slow.plain, 3 * 2);  // of ten: eight and two
}

TestArray mask_of(std::vector<int64_t> shape, int way) {
  TestArray keep = TestArray::of_bytes(ScalarKind::I32, std::move(shape));
  std::vector<int32_t> values(static_cast<size_t>(keep.count()));
  std::mt19937 random(7);
  for (size_t i = 0; i < values.size(); ++i) {
    const bool vector_is_on = i / 8 % 3 != 1, lane_is_on = random() % 2 == 0;
    values[i] = way == 0 ? 0 : way == 1 ? 1 : way == 2 ? vector_is_on : lane_is_on;
  }
  std::memcpy(keep.data(), values.data(), values.size() * sizeof(int32_t));
  return keep;
}

// None, all, whole vectors, single lanes.
TEST(HostMaskedStores, StoreWhatIsOn) {
  for (int way = 0; way < 4; ++way) {
    SCOPED_TRACE(way);
    expect_same(kSome, {TestArray::of_bytes(ScalarKind::I32, {288}), mask_of({288}, way)},
                {{3, 1, 1}, {96, 1, 1}});
    expect_same(kRows, {TestArray::of_bytes(ScalarKind::I32, {18, 20}), mask_of({18, 20}, way)},
                {{2, 2, 1}, {10, 9, 1}});
    expect_same(replaced(kRows, "block 10 9", "block 33 2"),
                {TestArray::of_bytes(ScalarKind::I32, {4, 66}), mask_of({4, 66}, way)},
                {{2, 2, 1}, {33, 2, 1}});
  }
}

}  // namespace
}  // namespace cuda_device::codegen::test
