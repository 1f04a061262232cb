// The layout of parameters against the same structs in C++.
#include <gtest/gtest.h>

#include <cstddef>

#include "abi/kernel_image.h"

namespace cuda_device::abi {
namespace {

ParamSlot scalar(ScalarKind kind) {
  ParamSlot slot;
  slot.dtype = kind;
  return slot;
}

ParamSlot array(uint8_t ndim) {
  ParamSlot slot = scalar(ScalarKind::I8);
  slot.is_array = true;
  slot.ndim = ndim;
  return slot;
}

template <int kDims>
struct Array {
  void* data;
  int64_t shape[kDims];
  int64_t strides[kDims];
};

TEST(Layout, IsThatOfAStruct) {
  struct Params {
    bool flag;
    int16_t narrow;
    Array<2> matrix;
    int8_t byte;
    double wide;
    float single;
    Array<1> vector;
    uint8_t last;
  };
  static_assert(sizeof(Params) % kParamsAlign != 0, "the block's end is rounded up");
  const ParamLayout layout = layout_of({scalar(ScalarKind::Bool), scalar(ScalarKind::I16), array(2),
                                        scalar(ScalarKind::I8), scalar(ScalarKind::F64),
                                        scalar(ScalarKind::F32), array(1), scalar(ScalarKind::U8)});
  const size_t offsets[] = {offsetof(Params, flag),   offsetof(Params, narrow),
                            offsetof(Params, matrix), offsetof(Params, byte),
                            offsetof(Params, wide),   offsetof(Params, single),
                            offsetof(Params, vector), offsetof(Params, last)};
  const size_t sizes[] = {1, 2, sizeof(Array<2>), 1, 8, 4, sizeof(Array<1>), 1};
  ASSERT_EQ(layout.slots.size(), std::size(offsets));
  for (size_t i = 0; i < layout.slots.size(); ++i) {
    EXPECT_EQ(layout.slots[i].offset, offsets[i]) << i;
    EXPECT_EQ(layout.slots[i].size, sizes[i]) << i;
  }
  EXPECT_EQ(layout.size, (sizeof(Params) + kParamsAlign - 1) / kParamsAlign * kParamsAlign);
}

TEST(Layout, AnArrayWithoutDimensionsIsAPointer) {
  const ParamLayout layout = layout_of({scalar(ScalarKind::I8), array(0)});
  EXPECT_EQ(layout.slots[1].offset, 8u);
  EXPECT_EQ(layout.slots[1].size, 8u);
}

// A parameter of the most alignment there is, as a C compiler lays it out.
TEST(Layout, RecordsHaveTheirOwnSizeAndAlignment) {
  struct alignas(16) Wide {
    float x, y, z, w;
  };
  struct Point {
    float x, y, z;
  };
  struct alignas(16) Params {
    uint8_t byte;
    Wide wide;
    uint8_t another;
    Point point;
    Wide last;
    Array<1> vector;
  };
  DtypeTable dtypes;
  ParamSlot wide, point;
  wide.dtype = dtypes.add({16, 16, {{0, ScalarKind::F32}, {4, ScalarKind::F32}}});
  point.dtype = dtypes.add({12, 4, {{0, ScalarKind::F32}}});
  ParamSlot points = array(1);
  points.dtype = point.dtype;
  const ParamLayout layout = layout_of(
      {scalar(ScalarKind::U8), wide, scalar(ScalarKind::U8), point, wide, points}, dtypes);
  const size_t offsets[] = {offsetof(Params, byte),    offsetof(Params, wide),
                            offsetof(Params, another), offsetof(Params, point),
                            offsetof(Params, last),    offsetof(Params, vector)};
  const size_t sizes[] = {1, 16, 1, 12, 16, sizeof(Array<1>)};
  const size_t items[] = {1, 16, 1, 12, 16, 12};
  ASSERT_EQ(layout.slots.size(), std::size(offsets));
  for (size_t i = 0; i < layout.slots.size(); ++i) {
    EXPECT_EQ(layout.slots[i].offset, offsets[i]) << i;
    EXPECT_EQ(layout.slots[i].size, sizes[i]) << i;
    EXPECT_EQ(layout.slots[i].item, items[i]) << i;
  }
  EXPECT_EQ(layout.size, sizeof(Params));
}

TEST(Layout, NothingTakesNoBytes) { EXPECT_EQ(layout_of({}).size, 0u); }

}  // namespace
}  // namespace cuda_device::abi
