// What DLPack's specification says of each field, and what becomes of it as an array.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

#include "interop/dlpack_tensor.h"

namespace cuda_device::interop::dlpack {
namespace {

using testing::ElementsAre;
using Axes = std::vector<int64_t>;

constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();

// A tensor of float32 on the CPU; tests change what they are about.
struct Example {
  explicit Example(Axes extents, Axes steps = {})
      : shape(std::move(extents)), strides(std::move(steps)) {
    Tensor& t = managed.tensor;
    t = {memory,
         {kCpu, 0},
         static_cast<int32_t>(shape.size()),
         {kFloat, 32, 1},
         shape.data(),
         strides.empty() ? nullptr : strides.data(),
         0};
  }
  // Why it is refused, or an empty text; then `view` is the array.
  std::string read() {
    std::optional<Refusal> refusal = dlpack::read(managed, view);
    if (!refusal) return "";
    refusal->args.insert(refusal->args.begin(), "x");
    return message_of({refusal->code, {}, refusal->args, {}, "", {}});
  }
  Tensor& tensor() { return managed.tensor; }
  Axes extents() const { return {view.shape, view.shape + view.ndim}; }
  Axes steps() const { return {view.strides, view.strides + view.ndim}; }

  char memory[64] = {};
  Axes shape, strides;
  ManagedVersioned managed = {{1, 0}, nullptr, nullptr, 0, {}};
  abi::ArrayView view;
};

// --- layout: the offsets that a C compiler gives the structs of the specification ---

TEST(DlpackAbi, offsets) {
  EXPECT_EQ(offsetof(Tensor, device), 8);
  EXPECT_EQ(offsetof(Tensor, ndim), 16);
  EXPECT_EQ(offsetof(Tensor, dtype), 20);
  EXPECT_EQ(offsetof(Tensor, shape), 24);
  EXPECT_EQ(offsetof(Tensor, strides), 32);
  EXPECT_EQ(offsetof(Tensor, byte_offset), 40);
  EXPECT_EQ(offsetof(Managed, context), 48);
  EXPECT_EQ(offsetof(Managed, deleter), 56);
  EXPECT_EQ(offsetof(ManagedVersioned, context), 8);
  EXPECT_EQ(offsetof(ManagedVersioned, deleter), 16);
  EXPECT_EQ(offsetof(ManagedVersioned, flags), 24);
  EXPECT_EQ(offsetof(ManagedVersioned, tensor), 32);
}

// --- what is read ---

TEST(Dlpack, stridesCountElements) {
  Example x({3, 4}, {10, -3});
  ASSERT_EQ(x.read(), "");
  EXPECT_EQ(x.view.ndim, 2);
  EXPECT_THAT(x.extents(), ElementsAre(3, 4));
  EXPECT_THAT(x.steps(), ElementsAre(40, -12));
  EXPECT_EQ(x.view.data, x.memory);
}

TEST(Dlpack, withoutStridesRowsFollowEachOther) {
  Example x({2, 3, 5});
  x.tensor().dtype = {kFloat, 64, 1};
  ASSERT_EQ(x.read(), "");
  EXPECT_THAT(x.extents(), ElementsAre(2, 3, 5));
  EXPECT_THAT(x.steps(), ElementsAre(120, 40, 8));
}

TEST(Dlpack, noDimensionsIsOneElement) {
  Example x({});
  x.tensor().shape = nullptr;
  ASSERT_EQ(x.read(), "");
  EXPECT_EQ(x.view.ndim, 0);
}

TEST(Dlpack, byteOffsetMovesTheData) {
  Example x({2});
  x.tensor().byte_offset = 12;
  ASSERT_EQ(x.read(), "");
  EXPECT_EQ(x.view.data, x.memory + 12);
}

TEST(Dlpack, noElementsNeedNoMemory) {
  Example x({4, 0});
  x.tensor().data = nullptr;
  ASSERT_EQ(x.read(), "");
  EXPECT_THAT(x.extents(), ElementsAre(4, 0));
  EXPECT_EQ(x.view.data, nullptr);
}

TEST(Dlpack, mostDimensions) {
  Example x(Axes(32, 1));
  EXPECT_EQ(x.read(), "");
  EXPECT_EQ(x.view.ndim, 32);
}

// --- versions and flags ---

TEST(Dlpack, readOnlyIsTheFirstFlag) {
  for (uint64_t flags = 0; flags < 8; ++flags) {
    Example x({1});
    x.managed.flags = flags;
    ASSERT_EQ(x.read(), "");
    EXPECT_EQ(x.view.read_only, flags % 2 == 1) << flags;
  }
}

TEST(Dlpack, laterMinorVersionsAreRead) {
  Example x({1});
  x.managed.version = {1, 99};
  EXPECT_EQ(x.read(), "");
}

// Its tensor may lie elsewhere: what is here must not be read.
TEST(Dlpack, otherMajorVersionsAreNot) {
  for (uint32_t major : {0, 2}) {
    Example x({1});
    x.managed.version = {major, 5};
    x.tensor().dtype.lanes = 8;
    EXPECT_EQ(x.read(), "x: DLPack version " + std::to_string(major) + ".5 is not known");
  }
}

TEST(Dlpack, olderStruct) {
  Example x({2, 2}, {1, 2});
  Managed old = {x.tensor(), nullptr, nullptr};
  ASSERT_FALSE(read(old.tensor, false, x.view));
  EXPECT_FALSE(x.view.read_only);
  EXPECT_THAT(x.steps(), ElementsAre(4, 8));
  old.tensor.dtype.lanes = 8;
  EXPECT_TRUE(read(old.tensor, false, x.view));
}

// --- devices ---

TEST(Dlpack, memoryThatADeviceReaches) {
  for (int32_t type : {kCpu, kCuda, kCudaHost, kCudaManaged}) {
    Example x({1});
    x.tensor().device = {type, 3};
    ASSERT_EQ(x.read(), "");
    EXPECT_EQ(x.view.device_type, type);
    EXPECT_EQ(x.view.device_id, 3);
    EXPECT_FALSE(refuse_device(type));
    EXPECT_EQ(refuse_device(type, false).has_value(), type == kCuda);
  }
}

TEST(Dlpack, memoryOutOfReach) {
  const std::pair<int32_t, const char*> kinds[] = {
      {4, "an OpenCL device"},
      {7, "a Vulkan device"},
      {8, "a Metal device"},
      {10, "a ROCm GPU"},
      {14, "a oneAPI device"},
      {0, "a device of an unknown kind"},
      {-1, "a device of an unknown kind"},
  };
  for (auto [type, name] : kinds) {
    Example x({1});
    x.tensor().device.type = type;
    EXPECT_EQ(x.read(), "x: the array lives on " + std::string(name) + " (DLPack device type " +
                            std::to_string(type) + "), which cannot be reached from here");
    EXPECT_TRUE(refuse_device(type));
  }
}

// Only its low half is the CPU's number.
TEST(Dlpack, deviceTypesAreNotCutTo32Bits) { EXPECT_TRUE(refuse_device((int64_t{1} << 32) + 1)); }

// --- shapes that cannot be ---

TEST(Dlpack, dimensions) {
  Example x(Axes(65, 1));
  EXPECT_EQ(x.read(), "x: the array has 65 dimensions; at most 64 are allowed");
  x.tensor().ndim = -1;
  EXPECT_EQ(x.read(), "x: the array has -1 dimensions; at most 64 are allowed");
  x.tensor().ndim = 1;
  x.tensor().shape = nullptr;
  EXPECT_EQ(x.read(), "x: the tensor has dimensions but no shape");
}

TEST(Dlpack, negativeExtent) {
  Example x({2, -3}, {1, 1});
  EXPECT_EQ(x.read(), "x: axis 1 has the extent -3");
}

TEST(Dlpack, stridesBeyond64Bits) {
  Example x({2, 2}, {kLargest / 4 + 1, 1});
  EXPECT_EQ(x.read(), "x: the stride of axis 0 does not fit 64 bits in bytes");
  Example y({1, 2}, {kLargest / 4, 1});
  EXPECT_EQ(y.read(), "");
}

TEST(Dlpack, sizesBeyond64Bits) {
  Example x({int64_t{1} << 31, int64_t{1} << 30});
  EXPECT_EQ(x.read(), "x: the size of the tensor does not fit 64 bits in bytes");
  Example y({int64_t{1} << 30, int64_t{1} << 30});
  EXPECT_EQ(y.read(), "");
  Example broadcast({int64_t{1} << 31, int64_t{1} << 30}, {0, 0});
  EXPECT_EQ(broadcast.read(), "x: the size of the tensor does not fit 64 bits in bytes");
}

TEST(Dlpack, elementsWithoutMemory) {
  Example x({2});
  x.tensor().data = nullptr;
  EXPECT_EQ(x.read(), "x: the tensor has elements but no memory");
}

TEST(Dlpack, elementsBeyondTheAddressSpace) {
  const char* const text = "x: the elements of the tensor do not fit the address space";
  for (const int64_t step : {int64_t{1} << 60, -(int64_t{1} << 60), kLargest / 4}) {
    Example x({4}, {step});
    EXPECT_EQ(x.read(), text);
    Example one({1}, {step});
    EXPECT_EQ(one.read(), "");
  }
  Example many(Axes(64, 2), Axes(64, kLargest / 8));
  EXPECT_EQ(many.read(), "x: the size of the tensor does not fit 64 bits in bytes");
  Example x({2});
  const auto here = reinterpret_cast<uint64_t>(x.tensor().data);
  for (const uint64_t offset : {-here, -here + 1, ~uint64_t{0}, uint64_t{1} << 63}) {
    x.tensor().byte_offset = offset;
    EXPECT_EQ(x.read(), text);
  }
  Example none({0, 2});
  none.tensor().byte_offset = ~uint64_t{0};
  EXPECT_EQ(none.read(), "");
}

}  // namespace
}  // namespace cuda_device::interop::dlpack
