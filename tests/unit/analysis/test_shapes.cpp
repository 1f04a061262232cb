// Layouts, shapes, divergence and blends of small kernels, case by case.
#include "unit/analysis/analysed.h"

namespace cuda_device::analysis::testing {
namespace {

using ir::Op;

LaneLayout layout_of_block(uint32_t x, uint32_t y, uint32_t z, const std::string& body = "") {
  return Analysed("kernel \"k\"\nlaunch block " + std::to_string(x) + " " + std::to_string(y) +
                  " " + std::to_string(z) + "\n{\n" + body + "}\n")
      .a.layout;
}

TEST(Layout, FollowsTheBlock) {
  using Kind = LaneLayout::Kind;
  EXPECT_EQ(layout_of_block(256, 1, 1).kind, Kind::Linear);
  EXPECT_EQ(layout_of_block(256, 1, 1).gangs, 8u);
  EXPECT_EQ(layout_of_block(32, 8, 1).kind, Kind::Linear);
  const LaneLayout square = layout_of_block(16, 16, 1);
  EXPECT_EQ(square.kind, Kind::Rows);
  EXPECT_EQ(square.period, 16u);
  EXPECT_EQ(square.rows_per_gang, 2u);
  EXPECT_EQ(square.gangs, 8u);
  const LaneLayout odd = layout_of_block(10, 10, 1);
  EXPECT_EQ(odd.kind, Kind::Rows);
  EXPECT_EQ(odd.rows_per_gang, 3u);
  EXPECT_EQ(odd.gangs, 4u);
  const LaneLayout wide = layout_of_block(60, 4, 1);
  EXPECT_EQ(wide.kind, Kind::Rows);
  EXPECT_EQ(wide.period, 32u);
  EXPECT_EQ(wide.gangs, 8u);
  EXPECT_EQ(layout_of_block(33, 8, 1).kind, Kind::Linear) << "16 gangs for 9";
  EXPECT_EQ(layout_of_block(3, 3, 3).kind, Kind::Linear);
  EXPECT_EQ(layout_of_block(16, 16, 1, "  %0 = lane_id : int32\n").kind, Kind::Linear);
  EXPECT_EQ(Analysed("kernel \"k\"\n{\n}\n").a.layout.gangs, 0u);
}

const char kPositions[] = R"({
  %0 = thread_idx #0 : uint32
  %1 = thread_idx #1 : uint32
  %2 = thread_idx #2 : uint32
  %3 = tid #0 : int32
  %4 = tid #1 : int32
  %5 = lane_id : int32
  %6 = block_idx #0 : uint32
  %7 = block_dim #0 : uint32
}
)";

std::string without_lane_id(std::string text) {
  text.replace(text.find("lane_id : int32"), 15, "const 7 : int32");
  return text;
}

TEST(Shapes, OfPositionsInALinearLayout) {
  const Analysed k(std::string("kernel \"k\"\nlaunch block 64 4 1\n") + kPositions);
  EXPECT_EQ(k.shape(0), affine(1, 0));
  EXPECT_EQ(k.shape(1), level(Level::GangUniform));
  EXPECT_EQ(k.shape(2), level(Level::LaunchUniform));
  EXPECT_EQ(k.shape(3), affine(1, 0));
  EXPECT_EQ(k.shape(4), level(Level::GangUniform));
  EXPECT_EQ(k.shape(5), affine(1, 0));
  EXPECT_EQ(k.shape(6), level(Level::BlockUniform));
  EXPECT_EQ(k.shape(7), level(Level::LaunchUniform));
}

TEST(Shapes, OfPositionsWithoutABlockShape) {
  const Analysed k(std::string("kernel \"k\"\n") + kPositions);
  EXPECT_EQ(k.shape(0), level(Level::Varying));
  EXPECT_EQ(k.shape(3), level(Level::Varying));
  EXPECT_EQ(k.shape(5), affine(1, 0));
}

TEST(Shapes, OfPositionsInRows) {
  const Analysed k(
      without_lane_id(std::string("kernel \"k\"\nlaunch block 16 16 2\n") + kPositions));
  EXPECT_EQ(k.shape(0), affine(1, 0));
  EXPECT_EQ(k.shape(1), affine(0, 1));
  EXPECT_EQ(k.shape(2), level(Level::GangUniform));
  EXPECT_EQ(k.shape(4), affine(0, 1));
  const Analysed columns(
      without_lane_id(std::string("kernel \"k\"\nlaunch block 1 64 1\n") + kPositions));
  EXPECT_EQ(columns.shape(0), level(Level::LaunchUniform));
  EXPECT_EQ(columns.shape(1), affine(0, 1));
}

TEST(Shapes, OfArithmetic) {
  const Analysed k(R"(kernel "k"
launch block 256 1 1 grid_fits_31
param @0 "n": int32
{
  %0 = tid #0 : int32
  %1 = const 3 : int32
  %2 = mul %0, %1 : int32
  %3 = sub %1, %2 : int32
  %4 = param @0 : int32
  %5 = mul %4, %0 : int32
  %6 = convert %0 : int64
  %7 = add %0, %4 : int32
  %8 = convert %7 : int64
  %9 = convert %7 : int8
  %10 = sub %2, %2 : int32
  %11 = shl %0, %1 : int32
  %12 = eq %0, %7 : bool
  %13 = lt %0, %4 : bool
  %14 = lt %0, %3 : bool
  %15 = select %13, %0, %0 : int32
  %16 = const 2147483647 : int32
  %17 = le %0, %16 : bool
}
)");
  EXPECT_EQ(k.shape(2), affine(3, 0));
  EXPECT_EQ(k.shape(3), affine(-3, 0));
  EXPECT_EQ(k.shape(5), (Shape{Level::Affine, {false, 0}, {true, 0}}));
  EXPECT_EQ(k.shape(6), affine(1, 0));
  EXPECT_EQ(k.shape(7), affine(1, 0));
  EXPECT_EQ(k.shape(8), level(Level::Varying)) << "tid + n may wrap";
  EXPECT_EQ(k.shape(9), affine(1, 0));
  EXPECT_EQ(k.shape(10), level(Level::GangUniform));
  EXPECT_EQ(k.shape(11), affine(8, 0));
  EXPECT_EQ(k.shape(12), level(Level::GangUniform));
  EXPECT_EQ(k.shape(13), level(Level::Varying));
  EXPECT_EQ(k.shape(14), level(Level::Varying));
  EXPECT_EQ(k.shape(15), level(Level::Varying));
  EXPECT_EQ(k.shape(17), level(Level::LaunchUniform)) << "always true";
}

// Division by a power of two that divides the base, or that no lane crosses.
TEST(Shapes, OfQuotients) {
  const Analysed k(R"(kernel "k"
launch block 16 16 1 grid_fits_31
param @0 "n": int32
{
  %0 = thread_idx #0 : uint32
  %1 = thread_idx #1 : uint32
  %2 = const 16 : uint32
  %3 = mul %1, %2 : uint32
  %4 = add %3, %0 : uint32
  %5 = const 128 : uint32
  %6 = floordiv %4, %5 : uint32
  %7 = floormod %4, %5 : uint32
  %8 = floordiv %4, %2 : uint32
  %9 = floormod %4, %2 : uint32
  %10 = const 8 : uint32
  %11 = floordiv %4, %10 : uint32
  %12 = const 3 : uint32
  %13 = floordiv %4, %12 : uint32
  %14 = const 4 : uint32
  %15 = shr %4, %14 : uint32
  %16 = const 15 : uint32
  %17 = and %4, %16 : uint32
  %18 = add %4, %10 : uint32
  %19 = floordiv %18, %2 : uint32
  %20 = const -1 : int32
  %21 = convert %4 : int32
  %22 = const 32 : int32
  %23 = mul %20, %22 : int32
  %24 = add %21, %23 : int32
  %25 = const 16 : int32
  %26 = floordiv %24, %25 : int32
}
)");
  EXPECT_EQ(k.shape(4), affine(1, 16));
  EXPECT_EQ(k.shape(6), level(Level::GangUniform));
  EXPECT_EQ(k.shape(7), affine(1, 16));
  EXPECT_EQ(k.shape(8), affine(0, 1));
  EXPECT_EQ(k.shape(9), affine(1, 0));
  EXPECT_EQ(k.shape(11), in_rows_of(8, 0, 1)) << "four rows of 8";
  EXPECT_EQ(k.shape(13), level(Level::Varying));
  EXPECT_EQ(k.shape(15), affine(0, 1));
  EXPECT_EQ(k.shape(17), affine(1, 0));
  EXPECT_EQ(k.shape(19), level(Level::Varying)) << "the base is a multiple of 8 only";
  EXPECT_EQ(k.shape(26), affine(0, 1)) << "below zero";
}

// Of numbers that go up by one from a multiple of 32: whether some lanes are below a limit and some
// are not.
TEST(Shapes, OfComparisons) {
  const Analysed k(R"(kernel "k"
launch block 256 1 1 grid_fits_31
param @0 "n": int32
{
  %0 = thread_idx #0 : uint32
  %1 = convert %0 : int32
  %2 = const 32 : int32
  %3 = const 31 : int32
  %4 = lt %1, %2 : bool
  %5 = le %1, %2 : bool
  %6 = le %1, %3 : bool
  %7 = lt %1, %3 : bool
  %8 = ge %2, %1 : bool
  %9 = gt %2, %1 : bool
  %10 = param @0 : int32
  %11 = mul %10, %2 : int32
  %12 = gt %1, %11 : bool
  %13 = ge %1, %11 : bool
  %14 = const 5 : int32
  %15 = sub %1, %14 : int32
  %16 = ge %15, %2 : bool
  %17 = sub %2, %14 : int32
  %18 = ge %15, %17 : bool
  %19 = neg %1 : int32
  %20 = neg %2 : int32
  %21 = gt %19, %20 : bool
  %22 = lt %19, %20 : bool
  %23 = const 64 : int32
  %24 = sub %1, %23 : int32
  %25 = lt %24, %2 : bool
  %26 = lt %24, %3 : bool
  %27 = const 32 : uint32
  %28 = lt %0, %27 : bool
  %29 = const 5 : uint32
  %30 = sub %0, %29 : uint32
  %31 = lt %0, %29 : bool
  if %31 {
  } else {
    %32 = sub %27, %29 : uint32
    %33 = lt %30, %32 : bool
  }
}
)");
  const Shape alike = level(Level::GangUniform), apart = level(Level::Varying);
  EXPECT_EQ(k.shape(4), alike);
  EXPECT_EQ(k.shape(5), apart);
  EXPECT_EQ(k.shape(6), alike);
  EXPECT_EQ(k.shape(7), apart);
  EXPECT_EQ(k.shape(8), apart);
  EXPECT_EQ(k.shape(9), alike);
  EXPECT_EQ(k.shape(12), apart);
  EXPECT_EQ(k.shape(13), alike) << "any multiple of 32";
  EXPECT_EQ(k.shape(16), apart);
  EXPECT_EQ(k.shape(18), alike);
  EXPECT_EQ(k.shape(21), alike) << "0 to -31 are above -32";
  EXPECT_EQ(k.shape(22), apart) << "-32 is not below -32, -33 is";
  EXPECT_EQ(k.shape(25), alike);
  EXPECT_EQ(k.shape(26), apart);
  EXPECT_EQ(k.shape(28), alike);
  EXPECT_EQ(k.shape(33), apart) << "the first lane's wraps";
}

// What goes up within rows of its own length.
TEST(Shapes, WithRowsOfTheirOwn) {
  const Analysed k(R"(kernel "k"
launch block 256 1 1 grid_fits_31
param @0 "n": int32
{
  %0 = thread_idx #0 : uint32
  %1 = const 3 : uint32
  %2 = and %0, %1 : uint32
  %3 = add %0, %0 : uint32
  %4 = sub %3, %2 : uint32
  %5 = xor %0, %1 : uint32
  %6 = or %1, %0 : uint32
  %7 = const 7 : uint32
  %8 = and %0, %7 : uint32
  %9 = add %2, %8 : uint32
  %10 = add %4, %2 : uint32
  %11 = const 32 : uint32
  %12 = and %0, %11 : uint32
  %13 = const 4 : uint32
  %14 = xor %0, %13 : uint32
  %15 = param @0 : int32
  %16 = convert %2 : int32
  %17 = mul %16, %15 : int32
  %18 = convert %0 : int32
  %19 = add %17, %18 : int32
  %20 = xor %0, %0 : uint32
}
)");
  EXPECT_EQ(k.shape(2), in_rows_of(4, 1, 0));
  EXPECT_EQ(k.shape(4), in_rows_of(4, 1, 8));
  EXPECT_EQ(k.shape(5), in_rows_of(4, -1, 4));
  EXPECT_EQ(k.shape(6), in_rows_of(4, 0, 4));
  EXPECT_EQ(k.shape(9), level(Level::Varying)) << "rows of 4 and of 8";
  EXPECT_EQ(k.shape(10), affine(2, 0)) << "no rows are left";
  EXPECT_EQ(k.shape(12), level(Level::GangUniform));
  EXPECT_EQ(k.shape(14), level(Level::Varying)) << "neither rows of 4 nor of 8";
  EXPECT_EQ(k.shape(17), (Shape{Level::Affine, {false, 0}, {true, 0}, 4}));
  EXPECT_EQ(k.shape(19), (Shape{Level::Affine, {false, 0}, {true, 4}, 4}));
  EXPECT_EQ(k.shape(20), level(Level::Varying));
}

TEST(Shapes, OfLoads) {
  const Analysed k(R"(kernel "k"
launch block 32 1 1
param @0 "a": array<float32, 1> read_only no_alias
param @1 "b": array<float32, 1>
{
  %0 = param @0 : array<float32, 1>
  %1 = param @1 : array<float32, 1>
  %2 = const 0 : int64
  %3 = load %0, %2 : float32
  %4 = load %1, %2 : float32
  %5 = block_idx #0 : uint32
  %6 = convert %5 : int64
  %7 = load %0, %6 : float32
  %8 = thread_idx #0 : uint32
  %9 = convert %8 : int64
  %10 = load %0, %9 : float32
}
)");
  EXPECT_EQ(k.shape(3), level(Level::LaunchUniform));
  EXPECT_EQ(k.shape(4), level(Level::GangUniform));
  EXPECT_EQ(k.shape(7), level(Level::BlockUniform));
  EXPECT_EQ(k.shape(9), affine(1, 0));
  EXPECT_EQ(k.shape(10), level(Level::Varying));
}

// if i < n: s = 1 else: s = 2; use(s) and a slot that only the branch reads.
TEST(Blends, OnlyWhereInactiveLanesReadLater) {
  const Analysed k(R"(kernel "k"
launch block 32 1 1
param @0 "n": int32
slot $0 "s": int32
slot $1 "inside": int32
{
  %0 = tid #0 : int32
  %1 = param @0 : int32
  %2 = lt %0, %1 : bool
  %3 = const 1 : int32
  if %2 {
    slot_store $0, %3
    slot_store $1, %3
    %4 = slot_load $1 : int32
  } else {
    slot_store $0, %1
  }
  %5 = slot_load $0 : int32
}
)");
  EXPECT_TRUE(k.divergent(Op::If));
  EXPECT_FALSE(k.blends(Op::SlotStore, 0)) << "the else region stores for the others";
  EXPECT_FALSE(k.blends(Op::SlotStore, 1));
  EXPECT_TRUE(k.blends(Op::SlotStore, 2));
  EXPECT_EQ(k.shape(5), level(Level::Varying));
  EXPECT_EQ(k.shape(4), level(Level::LaunchUniform));
}

// Some lanes come by the else region without a store; or they do not come at all.
TEST(Blends, ThenForLanesThatElseDoesNotStoreFor) {
  const auto kernel = [](const std::string& in_else) {
    return Analysed(R"(kernel "k"
launch block 32 1 1
param @0 "n": int32
slot $0 "s": int32
{
  %0 = tid #0 : int32
  %1 = param @0 : int32
  %2 = lt %0, %1 : bool
  %3 = eq %0, %1 : bool
  scope {
    if %2 {
      slot_store $0, %1
    } else {
      if %3 {
)" + in_else + R"(
      }
      slot_store $0, %0
    }
    leave 0
  }
  %4 = slot_load $0 : int32
}
)");
  };
  EXPECT_TRUE(kernel("leave 0").blends(Op::SlotStore, 0));
  EXPECT_FALSE(kernel("return").blends(Op::SlotStore, 0));
}

TEST(Blends, ElseReadsWhatThenMustNotOverwrite) {
  const Analysed k(R"(kernel "k"
launch block 32 1 1
param @0 "n": int32
slot $0 "s": int32
{
  %0 = tid #0 : int32
  %1 = param @0 : int32
  %2 = lt %0, %1 : bool
  slot_store $0, %1
  if %2 {
    %3 = const 1 : int32
    slot_store $0, %3
  } else {
    %4 = slot_load $0 : int32
  }
}
)");
  EXPECT_FALSE(k.blends(Op::SlotStore, 0));
  EXPECT_TRUE(k.blends(Op::SlotStore, 1));
}

TEST(Blends, UniformConditionsSeparateGangsOnly) {
  const Analysed k(R"(kernel "k"
launch block 64 1 1
param @0 "n": int32
slot $0 "s": int32
slot $1 "t": int32
{
  %0 = param @0 : int32
  %1 = block_idx #0 : uint32
  %2 = convert %1 : int32
  %3 = lt %2, %0 : bool
  %4 = const 7 : int32
  slot_store $0, %0
  slot_store $1, %0
  if %3 {
    slot_store $0, %4
    slot_store $1, %4
    %5 = slot_load $1 : int32
  }
  slot_store $1, %0
  %6 = slot_load $0 : int32
  %7 = slot_load $1 : int32
}
)");
  EXPECT_FALSE(k.divergent(Op::If));
  EXPECT_EQ(k.shape(6), level(Level::BlockUniform));
  EXPECT_EQ(k.shape(7), level(Level::LaunchUniform));
}

// for k in range(n): if varying: break; the counter is uniform unless it is read after the loop.
std::string breaking_loop(const std::string& after) {
  return R"(kernel "k"
launch block 32 1 1
param @0 "n": int32
slot $0 "k": int32
{
  %0 = tid #0 : int32
  %1 = param @0 : int32
  %2 = const 0 : int32
  %3 = const 1 : int32
  for $0, %2, %1, %3 {
    %4 = slot_load $0 : int32
    %5 = lt %0, %4 : bool
    if %5 {
      break
    }
  }
)" + after +
         "}\n";
}

TEST(Blends, CounterOfALoopThatLanesLeave) {
  const Analysed unread(breaking_loop(""));
  EXPECT_TRUE(unread.divergent(Op::For));
  EXPECT_FALSE(unread.blends(Op::For));
  EXPECT_EQ(unread.shape(4), level(Level::LaunchUniform));
  const Analysed read(breaking_loop("  %6 = slot_load $0 : int32\n"));
  EXPECT_TRUE(read.blends(Op::For));
  EXPECT_EQ(read.shape(4), level(Level::Varying));
}

// if v: { if w: s = 1; continue }; s = 5. Lanes with v but not w read their old s in the next
// iteration.
Analysed continuing(const std::string& v) {
  return Analysed(R"(kernel "k"
launch block 32 1 1
param @0 "n": int32
slot $0 "k": int32
slot $1 "s": int32
{
  %0 = tid #0 : int32
  %1 = const 0 : int32
  %2 = const 1 : int32
  %3 = const 9 : int32
  %4 = param @0 : int32
  %5 = lt %0, %3 : bool
  %6 = lt %4, %3 : bool
  %7 = lt %0, %2 : bool
  for $0, %1, %3, %2 {
    %8 = slot_load $1 : int32
    if )" + v + R"( {
      if %7 {
        slot_store $1, %2
      }
      continue
    }
    slot_store $1, %3
  }
}
)");
}

TEST(Blends, WhatLanesThatContinueReadInTheNextIteration) {
  const Analysed varying = continuing("%5");
  EXPECT_TRUE(varying.blends(Op::SlotStore, 0));
  EXPECT_TRUE(varying.blends(Op::SlotStore, 1)) << "lanes that continued";
  const Analysed uniform = continuing("%6");
  EXPECT_TRUE(uniform.blends(Op::SlotStore, 0));
  EXPECT_FALSE(uniform.blends(Op::SlotStore, 1)) << "all continue or none";
}

TEST(Divergence, GridStrideLoop) {
  const Analysed k(R"(kernel "k"
launch block 256 1 1 grid_fits_31
param @0 "n": int32
slot $0 "i": int32
{
  %0 = tid #0 : int32
  %1 = param @0 : int32
  %2 = grid_size #0 : int32
  for $0, %0, %1, %2 {
    %3 = slot_load $0 : int32
    %4 = convert %3 : int64
  }
}
)");
  EXPECT_TRUE(k.divergent(Op::For)) << "the stop cuts a gang";
  EXPECT_EQ(k.shape(3), affine(1, 0));
  EXPECT_EQ(k.shape(4), affine(1, 0));
  EXPECT_EQ(k.range(3), range(0, INT32_MAX - 1));
}

TEST(Divergence, ReturnPartsLanesButBlendsNothing) {
  const Analysed k(R"(kernel "k"
launch block 32 1 1
param @0 "n": int32
slot $0 "k": int32
slot $1 "sum": int32
{
  %0 = tid #0 : int32
  %1 = param @0 : int32
  %2 = const 0 : int32
  %3 = const 1 : int32
  slot_store $1, %2
  for $0, %2, %1, %3 {
    %4 = slot_load $0 : int32
    %5 = eq %0, %4 : bool
    if %5 {
      return
    }
    %6 = slot_load $1 : int32
    %7 = add %6, %4 : int32
    slot_store $1, %7
  }
  %8 = slot_load $1 : int32
}
)");
  EXPECT_TRUE(k.divergent(Op::For));
  EXPECT_FALSE(k.blends(Op::SlotStore, 1));
  EXPECT_EQ(k.shape(8), level(Level::LaunchUniform));
}

TEST(Describe, NamesWhatMatters) {
  const Analysed k(breaking_loop("  %6 = slot_load $0 : int32\n"));
  const std::string text = describe(*k.f, k.a);
  EXPECT_NE(text.find("lanes: linear, 1 gangs in a block"), std::string::npos) << text;
  EXPECT_NE(text.find("divergent; its counter blends"), std::string::npos) << text;
  EXPECT_NE(text.find("affine 1*(lane%32)"), std::string::npos) << text;
}

const char kBlock[] = R"(kernel "k"
launch block 64 1 1
array &0 "tile": array<int32, 1, shared> shape 8 strides 4 align 4
array &1 "own": array<int32, 1, local> shape 8 strides 4 align 4
{
  %0 = array &0 : array<int32, 1, shared>
  %1 = array &1 : array<int32, 1, local>
  %2 = dynamic_shared : array<uint8, 1, shared>
  %3 = const 1 : int32
  %4 = thread_idx #0 : uint32
  %5 = load %0, %3 : int32
  %6 = load %1, %3 : int32
  %7 = extent #0, %2 : int64
  %8 = convert %4 : int64
  %9 = view %0, %7, %8, %7 : array<int32, 1, shared>
  %10 = extent #0, %9 : int64
  %11 = load %9, %3 : int32
  %12 = const true : bool
  %13 = barrier_count %12 : int32
  %14 = barrier_or %12 : bool
  %15 = stride #0, %1 : int64
  %16 = load %0, %3 : int32
  store %0, %7, %16
}
)";

TEST(Shapes, OfWhatABlockShares) {
  const Analysed k(kBlock);
  EXPECT_EQ(k.shape(5), level(Level::BlockUniform)) << "no thread stores between the barriers";
  EXPECT_EQ(k.shape(16), level(Level::GangUniform)) << "other gangs may see another value";
  EXPECT_EQ(k.shape(6), level(Level::Varying)) << "each thread has its own";
  EXPECT_EQ(k.shape(7), level(Level::LaunchUniform));
  EXPECT_EQ(k.shape(10), k.shape(8));
  EXPECT_EQ(k.shape(11), level(Level::Varying)) << "threads may have different views";
  EXPECT_EQ(k.shape(13), level(Level::BlockUniform));
  EXPECT_EQ(k.shape(14), level(Level::BlockUniform));
  EXPECT_EQ(k.range(13), range(0, 64));
  EXPECT_EQ(k.range(7), range(0, 227 * 1024));
  EXPECT_EQ(k.range(15), range(4, 4));
  EXPECT_EQ(k.range(10), k.range(8));
}

}  // namespace
}  // namespace cuda_device::analysis::testing
