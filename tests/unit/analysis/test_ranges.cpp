// Value ranges of small kernels, case by case.
#include "unit/analysis/analysed.h"

namespace cuda_device::analysis::testing {
namespace {

TEST(Ranges, OfPositions) {
  const std::string body = R"({
  %0 = thread_idx #0 : uint32
  %1 = block_idx #0 : uint32
  %2 = tid #0 : int32
  %3 = grid_size #0 : int32
  %4 = tid #1 : int32
}
)";
  const Analysed known("kernel \"k\"\nlaunch block 256 1 1 grid_fits_31\n" + body);
  EXPECT_EQ(known.range(0), range(0, 255));
  EXPECT_EQ(known.range(1), range(0, INT32_MAX / 256 - 1));
  EXPECT_EQ(known.range(2), range(0, INT32_MAX / 256 * 256 - 1));
  const Analysed unknown("kernel \"k\"\nlaunch grid_fits_31\n" + body);
  EXPECT_EQ(unknown.range(0), range(0, 1023));
  EXPECT_EQ(unknown.range(2), range(0, INT32_MAX - 1));
  EXPECT_EQ(unknown.range(3), range(1, INT32_MAX));
  const Analysed nothing("kernel \"k\"\n" + body);
  EXPECT_EQ(nothing.range(2), range(INT32_MIN, INT32_MAX));
  EXPECT_EQ(nothing.range(4), range(0, 65535 * 1024 - 1)) << "CUDA's limits bound y";
}

TEST(Ranges, OfPositionsWrittenByHand) {
  const Analysed k(R"(kernel "k"
launch grid_fits_31
{
  %0 = block_idx #0 : uint32
  %1 = block_dim #0 : uint32
  %2 = mul %0, %1 : uint32
  %3 = thread_idx #0 : uint32
  %4 = add %2, %3 : uint32
  %5 = convert %4 : int32
  %6 = convert %0 : int32
  %7 = convert %1 : int32
  %8 = mul %7, %6 : int32
  %9 = thread_idx #1 : uint32
  %10 = add %2, %9 : uint32
}
)");
  EXPECT_EQ(k.range(4), range(0, INT32_MAX - 1));
  EXPECT_EQ(k.range(5), range(0, INT32_MAX - 1));
  EXPECT_EQ(k.range(8), range(0, INT32_MAX - 1));
  EXPECT_EQ(k.range(10), range(0, INT64_C(1) * INT32_MAX - 1 + 1023)) << "another axis";
}

TEST(Ranges, GuardsRefineSlotsAndTemporaries) {
  const Analysed k(R"(kernel "k"
launch block 256 1 1 grid_fits_31
param @0 "a": array<float32, 1> fits_31
slot $0 "i": int32
{
  %0 = tid #0 : int32
  slot_store $0, %0
  %1 = slot_load $0 : int32
  %2 = convert %1 : int64
  %3 = param @0 : array<float32, 1>
  %4 = extent #0, %3 : int64
  %5 = lt %2, %4 : bool
  if %5 {
    %6 = slot_load $0 : int32
    %7 = const 1 : int32
    %8 = add %6, %7 : int32
    %9 = convert %8 : int64
    slot_store $0, %8
    %10 = slot_load $0 : int32
  } else {
    %11 = slot_load $0 : int32
  }
}
)");
  EXPECT_EQ(k.range(4), range(0, INT32_MAX));
  EXPECT_EQ(k.range(8), range(1, INT32_MAX / 256 * 256)) << "no wrap";
  EXPECT_TRUE(k.a.narrow(*k.numbered[9]));
  EXPECT_EQ(k.range(10).lo, 1);
}

TEST(Ranges, WhileLoopIsNarrowedByItsCondition) {
  const Analysed k(R"(kernel "k"
param @0 "n": int32
slot $0 "i": int32
{
  %0 = const 0 : int32
  slot_store $0, %0
  while {
    %1 = slot_load $0 : int32
    %2 = param @0 : int32
    %3 = lt %1, %2 : bool
    yield %3
  } do {
    %4 = slot_load $0 : int32
    %5 = const 1 : int32
    %6 = add %4, %5 : int32
    slot_store $0, %6
  }
  %7 = slot_load $0 : int32
}
)");
  EXPECT_EQ(k.range(4), range(0, INT32_MAX - 1));
  EXPECT_EQ(k.range(6), range(1, INT32_MAX));
  EXPECT_EQ(k.range(7), range(0, INT32_MAX));
}

TEST(Ranges, EarlyReturnIsAGuard) {
  const Analysed k(R"(kernel "k"
param @0 "n": int32
{
  %0 = param @0 : int32
  %1 = const 10 : int32
  %2 = ge %0, %1 : bool
  if %2 {
    return
  }
  %3 = add %0, %1 : int32
  %4 = const 0 : int32
  %5 = lt %0, %4 : bool
  if %5 {
    return
  }
  %6 = add %0, %1 : int32
}
)");
  EXPECT_EQ(k.range(3), range(INT32_MIN + 10, 19)) << "below 10, no lower bound yet";
  EXPECT_EQ(k.range(6), range(10, 19));
}

TEST(Ranges, Counters) {
  const Analysed k(R"(kernel "k"
param @0 "n": int32
slot $0 "k": int32
{
  %0 = const 0 : int32
  %1 = param @0 : int32
  %2 = const 1 : int32
  for $0, %0, %1, %2 {
    %3 = slot_load $0 : int32
  }
  %4 = const -1 : int32
  for $0, %1, %4, %4 {
    %5 = slot_load $0 : int32
  }
}
)");
  EXPECT_EQ(k.range(3), range(0, INT32_MAX - 1));
  EXPECT_EQ(k.range(5), range(0, INT32_MAX));
}

TEST(Ranges, AStaleLoadSaysNothingOfItsSlot) {
  const Analysed k(R"(kernel "k"
param @0 "n": int32
slot $0 "s": int32
{
  %0 = param @0 : int32
  slot_store $0, %0
  %1 = slot_load $0 : int32
  %2 = const 5 : int32
  %3 = const 1 : int32
  %4 = sub %2, %1 : int32
  slot_store $0, %4
  %5 = lt %1, %2 : bool
  if %5 {
    %6 = slot_load $0 : int32
  }
}
)");
  EXPECT_EQ(k.range(6), range(INT32_MIN, INT32_MAX));
}

TEST(Ranges, ALoadBeforeALoopSaysNothingOfItsSlotInside) {
  const Analysed k(R"(kernel "k"
param @0 "n": int32
slot $0 "s": int32
{
  %0 = param @0 : int32
  slot_store $0, %0
  %1 = slot_load $0 : int32
  %2 = const 5 : int32
  %3 = lt %1, %2 : bool
  while {
    yield %3
  } do {
    %4 = slot_load $0 : int32
    %5 = sub %2, %0 : int32
    slot_store $0, %5
  }
}
)");
  EXPECT_EQ(k.range(4), range(INT32_MIN, INT32_MAX));
}

TEST(Ranges, OfUnsigned64BeyondInt64AreUnknown) {
  const Analysed k(R"(kernel "k"
param @0 "n": uint64
{
  %0 = param @0 : uint64
  %1 = const 1 : uint64
  %2 = and %0, %1 : uint64
}
)");
  EXPECT_TRUE(k.range(0).unsigned_overflow);
  EXPECT_FALSE(k.range(0).non_negative());
  EXPECT_EQ(k.range(2), range(0, 1));
}

TEST(Ranges, WrapOfANegativeIndex) {
  const Analysed k(R"(kernel "k"
param @0 "a": array<float32, 1> fits_31
{
  %0 = const -1 : int32
  %1 = param @0 : array<float32, 1>
  %2 = extent #0, %1 : int64
  %3 = wrap %0, %2 : int64
}
)");
  EXPECT_EQ(k.range(3), range(-1, INT32_MAX - 1));
}

}  // namespace
}  // namespace cuda_device::analysis::testing
