// Which bytes of the host a launch on a GPU copies there and back.
#include "runtime/cuda/array_copies.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace cuda_device::cuda {
namespace {

// One array parameter.
struct Given {
  uint64_t data;
  std::vector<int64_t> shape, strides;
  bool read_only = false;
  ScalarKind scalar = ScalarKind::I32;
};

struct Params {
  explicit Params(const std::vector<Given>& arrays) {
    std::vector<abi::ParamSlot> slots;
    for (const Given& a : arrays) {
      abi::ParamSlot slot;
      slot.is_array = true;
      slot.read_only = a.read_only;
      slot.dtype = a.scalar;
      slot.ndim = static_cast<uint8_t>(a.shape.size());
      slots.push_back(slot);
      words.push_back(static_cast<int64_t>(a.data));
      words.insert(words.end(), a.shape.begin(), a.shape.end());
      words.insert(words.end(), a.strides.begin(), a.strides.end());
    }
    layout = abi::layout_of(slots);
  }
  const char* bytes() const { return reinterpret_cast<const char*>(words.data()); }
  std::vector<int64_t> words;
  abi::ParamLayout layout;
};

using Bytes = std::set<uint64_t>;

Bytes bytes_of_rows(const ElementRows& rows) {
  Bytes bytes;
  for_each_row(rows, [&](uint64_t address) {
    for (uint64_t i = 0; i < rows.bytes; ++i) bytes.insert(address + i);
  });
  return bytes;
}

// The elements by the definition of strides, one for one.
Bytes bytes_of_elements(const Given& a) {
  Bytes bytes;
  int64_t count = 1;
  for (int64_t extent : a.shape) count *= extent;
  for (int64_t n = 0; n < count; ++n) {
    int64_t left = n, offset = 0;
    for (size_t axis = a.shape.size(); axis-- > 0; left /= a.shape[axis])
      offset += left % a.shape[axis] * a.strides[axis];
    for (int i = 0; i < cuda_device::bytes_of(a.scalar); ++i)
      bytes.insert(a.data + static_cast<uint64_t>(offset + i));
  }
  return bytes;
}

ElementRows rows(const Given& a) {
  const Params params({a});
  return rows_of(params.layout.slots[0], params.bytes());
}

TEST(ElementRows, OfRandomArraysAreTheirElements) {
  std::mt19937 random(1);
  const auto between = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 2000; ++round) {
    Given a{100000, {}, {}};
    for (int64_t axes = between(0, 4); axes > 0; --axes) {
      a.shape.push_back(between(0, 4));
      a.strides.push_back(between(0, 2) ? 4 * between(-6, 6) : between(-40, 40));
    }
    const ElementRows found = rows(a);
    const Bytes expected = bytes_of_elements(a);
    ASSERT_EQ(bytes_of_rows(found), expected) << round;
    if (expected.empty()) continue;
    EXPECT_EQ(found.begin, *expected.begin());
    EXPECT_EQ(found.end(), *expected.rbegin() + 1);
  }
}

TEST(ElementRows, NeighboursAreOneRow) {
  EXPECT_EQ(rows({1000, {3, 5}, {20, 4}}).bytes, 60u);
  EXPECT_EQ(rows({1000, {3, 5}, {4, 12}}).bytes, 60u);    // columns first
  EXPECT_EQ(rows({1056, {3, 5}, {-20, -4}}).bytes, 60u);  // from its end
  EXPECT_EQ(rows({1000, {3, 1, 5}, {20, 7, 4}}).bytes, 60u);
  EXPECT_EQ(rows({1000, {9, 5}, {0, 4}}).bytes, 20u);   // broadcast
  EXPECT_EQ(rows({1000, {3, 5}, {24, 4}}).bytes, 20u);  // a part of wider rows
  EXPECT_EQ(rows({1000, {}, {}}).bytes, 4u);
  EXPECT_EQ(rows({1000, {3, 0}, {0, 4}}).bytes, 0u);
}

TEST(ArrayCopies, OverlappingArraysShareARegion) {
  // [1000, 1040), reversed [1036, 1076) from its last element, [2000, 2004), and an empty one.
  const Params params(
      {{1000, {10}, {4}, true}, {1072, {10}, {-4}}, {2000, {1}, {4}, true}, {3000, {0}, {4}}});
  const auto regions = regions_of(params.layout, params.bytes());
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(regions[0].begin, 1000u);
  EXPECT_EQ(regions[0].end, 1076u);
  ASSERT_EQ(regions[0].written.size(), 1u);
  EXPECT_EQ(regions[0].written[0].begin, 1036u);
  EXPECT_EQ(regions[0].written[0].end(), 1076u);
  EXPECT_FALSE(regions[0].all_written());
  EXPECT_EQ(regions[1].end, 2004u);
  EXPECT_TRUE(regions[1].written.empty());
}

// Nothing that lies in the gaps of a strided array, or in a read-only one, comes back.
TEST(ArrayCopies, OnlyElementsOfWritableArraysComeBack) {
  const Given columns{1000, {4, 2}, {40, 4}}, between{1008, {4, 2}, {40, 4}, true};
  const Params params({columns, between});
  const auto regions = regions_of(params.layout, params.bytes());
  Bytes back;
  for (const Region& r : regions) {
    EXPECT_FALSE(r.all_written());
    for (const ElementRows& written : r.written) back.merge(bytes_of_rows(written));
  }
  EXPECT_EQ(back, bytes_of_elements(columns));
}

TEST(ArrayCopies, AGaplessArrayComesBackInOnePiece) {
  const Params params({{1000, {8, 8}, {32, 4}}, {1100, {2}, {4}, true}});
  const auto regions = regions_of(params.layout, params.bytes());
  ASSERT_EQ(regions.size(), 1u);
  EXPECT_TRUE(regions[0].all_written());
}

}  // namespace
}  // namespace cuda_device::cuda
