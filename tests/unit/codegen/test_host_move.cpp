// Loads and stores at every shape of address.
#include <gtest/gtest.h>

#include "unit/codegen/long_tests.h"
#include "unit/codegen/memory_kernels.h"

namespace cuda_device::codegen::test {
namespace {

constexpr int64_t kCount = 150;

TestArguments move_arguments(ScalarKind kind) {
  std::vector<int32_t> index;
  for (int64_t i = 0; i < kCount; ++i) index.push_back(static_cast<int32_t>(i * 37 % kCount));
  return {TestArray::of_bytes(kind, {kCount}), numbered(kind, {kCount}),
          TestArray::of(ScalarKind::I32, index)};
}

void check_move(const std::string& indices,
                const std::vector<ScalarKind>& kinds = sampled_kinds()) {
  for (ScalarKind kind : kinds)
    for (const char* facts : {kNoFacts, kAllFacts}) {
      SCOPED_TRACE(std::string(name_of(kind)) + " " + facts);
      expect_same(move_1d(kind, facts, indices), move_arguments(kind),
                  {{3, 1, 1}, {kMoveBlock, 1, 1}});
    }
}

TEST(HostMove, Gather) { check_move(kGather); }

TEST(HostMove, Scatter) { check_move(kScatter); }

TEST(HostMove, ReadsBackwards) {
  check_move(
      "%last = sub %n, %one : int64 %from = sub %last, %t : int64 %to = add %t, %zero : int64");
}

TEST(HostMove, WritesBackwards) {
  check_move(
      "%last = sub %n, %one : int64 %to = sub %last, %t : int64 %from = add %t, %zero : int64");
}

TEST(HostMove, EveryPairReadsOne) {
  check_move(
      "%half = floordiv %t, %two : int64 %from = mul %half, %two : int64 "
      "%to = add %t, %zero : int64");
}

TEST(HostMove, OneForAll) {
  check_move("%from = add %two, %zero : int64 %to = add %t, %zero : int64");
}

// The highest lane of a gang, and the last gang, win.
TEST(HostMove, AllStoreToOne) {
  check_move("%from = add %t, %zero : int64 %to = add %two, %zero : int64");
}

TEST(HostMove, FourStoreToOne) {
  check_move("%from = add %t, %zero : int64 %to = floordiv %t, %four : int64");
}

TEST(HostMove, ScatteredStoresCollide) {
  check_move(
      "%i = load %index, %t : int32 %wide = convert %i : int64 %to = floordiv %wide, %four : int64 "
      "%from = add %t, %zero : int64");
}

// 250 threads in uint8: 200 and more are no negative indices.
TEST(HostMove, SmallUnsignedIndices) {
  check_move(
      "%i8 = convert %t : uint8 %c = const 100 : uint8 %high = add %i8, %c : uint8 "
      "%wide = convert %high : int64 %from = floormod %wide, %n : int64 "
      "%to = add %t, %zero : int64",
      {ScalarKind::F32});
}

}  // namespace
}  // namespace cuda_device::codegen::test
