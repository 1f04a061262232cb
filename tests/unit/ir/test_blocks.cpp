// Threads of a block together: barriers, shared and local memory, views.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "ir/interpreter.h"
#include "unit/ir/arguments.h"

namespace cuda_device::ir {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHead = R"(kernel "block"
param @0 "out": array<int32, 1>
slot $0 "k": int32
slot $1 "sum": int32
array &0 "tile": array<int32, 1, shared> shape 8 strides 4 align 4
array &1 "own": array<int32, 1, local> shape 4 strides 4 align 4
{
  %out = param @0 : array<int32, 1>
  %tile = array &0 : array<int32, 1, shared>
  %own = array &1 : array<int32, 1, local>
  %dynamic = dynamic_shared : array<uint8, 1, shared>
  %0 = const 0 : int32
  %1 = const 1 : int32
  %2 = const 2 : int32
  %4 = const 4 : int32
  %7 = const 7 : int32
  %true = const true : bool
  %t = thread_idx #0 : uint32
  %i = convert %t : int32
  %me = tid #0 : int32
)";

// One block of 8 threads, or what `grid` says; each has an element of out, -1 at first.
std::vector<int32_t> run(const std::string& body, Grid grid = {{1, 1, 1}, {8, 1, 1}},
                         uint64_t max_steps = 10000) {
  std::vector<int32_t> out(grid.grid[0] * grid.block[0], -1);
  const auto f = parse(kHead + body + "\n}\n");
  interpret(*f, {array_of(out)}, grid, max_steps);
  return out;
}

std::string error_of(const std::string& body, Grid grid = {{1, 1, 1}, {8, 1, 1}}) {
  try {
    run(body, grid);
  } catch (const InterpretError& e) {
    return e.what();
  }
  return "";
}

TEST(Blocks, WhatIsStoredBeforeABarrierIsSeenAfterIt) {
  EXPECT_THAT(run("store %tile, %i, %i barrier\n%r = sub %7, %i : int32"
                  " %v = load %tile, %r : int32 store %out, %me, %v"),
              ElementsAre(7, 6, 5, 4, 3, 2, 1, 0));
}

TEST(Blocks, EveryBlockHasItsOwnSharedMemory) {
  EXPECT_THAT(run("store %tile, %i, %me barrier\n%r = sub %1, %i : int32"
                  " %v = load %tile, %r : int32 store %out, %me, %v",
                  {{3, 1, 1}, {2, 1, 1}}),
              ElementsAre(1, 0, 3, 2, 5, 4));
}

TEST(Blocks, EveryThreadHasItsOwnLocalMemory) {
  EXPECT_THAT(run("store %own, %2, %i barrier\n%v = load %own, %2 : int32 store %out, %me, %v"),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

// Not zero, and not what another block or thread finds: such a kernel must not pass by luck.
TEST(Blocks, MemoryHoldsNothingUsefulAtFirst) {
  for (const char* array : {"%tile", "%own"}) {
    const auto found = run("%v = load " + std::string(array) + ", %2 : int32 store %out, %me, %v",
                           {{4, 1, 1}, {2, 1, 1}});
    EXPECT_THAT(found, Each(Not(0)));
    EXPECT_NE(found[0], found[2]) << array;
    EXPECT_EQ(found[0] == found[1], array == std::string("%tile"));
    EXPECT_EQ(found, run("%v = load " + std::string(array) + ", %2 : int32 store %out, %me, %v",
                         {{4, 1, 1}, {2, 1, 1}}));
  }
}

TEST(Blocks, BarriersCountThoseThatCome) {
  const char* count = "%c = lt %i, %2 : bool %n = barrier_count %c : int32 store %out, %me, %n";
  EXPECT_THAT(run(count), Each(2));
  // Four threads have left the kernel.
  const std::string leave = "%gone = lt %i, %4 : bool if %gone { return } ";
  EXPECT_THAT(run(leave + "%n = barrier_count %true : int32 store %out, %me, %n"),
              ElementsAre(-1, -1, -1, -1, 4, 4, 4, 4));
  EXPECT_THAT(run(leave + "%c = ge %i, %4 : bool %a = barrier_and %c : bool"
                          " %n = convert %a : int32 store %out, %me, %n"),
              ElementsAre(-1, -1, -1, -1, 1, 1, 1, 1));
  EXPECT_THAT(run(leave + "%c = lt %i, %4 : bool %a = barrier_or %c : bool"
                          " %n = convert %a : int32 store %out, %me, %n"),
              ElementsAre(-1, -1, -1, -1, 0, 0, 0, 0));
}

TEST(Blocks, AndAndOr) {
  const auto vote = [](const char* op, const char* compare) {
    return run(std::string("%c = ") + compare + " %i, %2 : bool %a = " + op +
               " %c : bool %n = convert %a : int32 store %out, %me, %n");
  };
  EXPECT_THAT(vote("barrier_and", "ne"), Each(0));
  EXPECT_THAT(vote("barrier_or", "eq"), Each(1));
  EXPECT_THAT(vote("barrier_or", "gt"), Each(1));
  EXPECT_THAT(vote("barrier_and", "ge"), Each(0));
}

// A barrier in the next iteration does not wait for threads that left in one before.
TEST(Blocks, ThreadsLeaveALoopOneByOne) {
  EXPECT_THAT(run(R"(
    for $0, %0, %7, %1 {
      %k = slot_load $0 : int32
      %done = eq %k, %i : bool
      if %done { return }
      %n = barrier_count %true : int32
      store %out, %me, %n
    })"),
              ElementsAre(-1, 7, 6, 5, 4, 3, 2, 1));
}

TEST(Blocks, BarriersInALoop) {
  // Each round every thread takes over its right neighbour's number.
  EXPECT_THAT(run(R"(
    store %tile, %i, %i
    barrier
    for $0, %0, %2, %1 {
      %next = add %i, %1 : int32
      %right = and %next, %7 : int32
      %v = load %tile, %right : int32
      barrier
      store %tile, %i, %v
      barrier
    }
    %r = load %tile, %i : int32
    store %out, %me, %r)"),
              ElementsAre(2, 3, 4, 5, 6, 7, 0, 1));
}

TEST(Blocks, ThreadsMeetAtDifferentBarriers) {
  EXPECT_THAT(run(R"(
    %c = lt %i, %2 : bool
    if %c {
      store %tile, %i, %i
      barrier
    } else {
      barrier
      %v = load %tile, %1 : int32
      store %out, %me, %v
    })"),
              ElementsAre(-1, -1, 1, 1, 1, 1, 1, 1));
  // Some come to two barriers, the others to the second one alone: they meet at the first, and then
  // those others are gone.
  EXPECT_THAT(run(R"(
    %c = lt %i, %2 : bool
    if %c { %m = barrier_count %true : int32 }
    %n = barrier_count %true : int32
    store %out, %me, %n)"),
              ElementsAre(2, 2, 8, 8, 8, 8, 8, 8));
}

TEST(Blocks, BarriersOfDifferentKindsAreAnError) {
  EXPECT_THAT(
      error_of("%c = lt %i, %2 : bool if %c { barrier } else { %x = barrier_or %c : bool }"),
      AllOf(HasSubstr("threads wait at barriers of different kinds: thread (0, 0, 0) at 'barrier'"),
            HasSubstr("thread (2, 0, 0) at '"), HasSubstr("barrier_or")));
  // Some wait, the others go on to the next one.
  EXPECT_THAT(error_of("%c = lt %i, %2 : bool if %c { barrier } %x = barrier_or %c : bool"),
              HasSubstr("different kinds"));
  // The others leave the kernel: they do not count.
  EXPECT_EQ(error_of("%c = lt %i, %2 : bool if %c { barrier }"), "");
}

TEST(Blocks, PlacesAreNamedWhereTheyAreKnown) {
  EXPECT_THAT(error_of("%c = lt %i, %2 : bool if %c { barrier !0:12:4-12:9 } "
                       "%x = barrier_or %c : bool !0:14:4-14:9"),
              AllOf(HasSubstr("in line 12"), HasSubstr("in line 14")));
}

TEST(Blocks, StepsAreCountedThroughBarriers) {
  const std::string endless = "while { yield %true } do { barrier }";
  EXPECT_THROW(run(endless, {{1, 1, 1}, {2, 1, 1}}, 100), InterpretError);
}

TEST(Blocks, DynamicSharedMemoryHasTheSizeOfTheLaunch) {
  Grid grid{{1, 1, 1}, {2, 1, 1}, 100};
  EXPECT_THAT(run("%n = extent #0, %dynamic : int64 %v = convert %n : int32"
                  " store %out, %me, %v",
                  grid),
              Each(100));
  grid.shared = 0;
  EXPECT_THAT(error_of("%v = load %dynamic, %0 : uint8", grid),
              HasSubstr("index 0 on axis 0 is out of range for extent 0"));
}

TEST(Blocks, OwnArraysAreBounded) {
  const auto* text = "is out of range for extent 8";
  EXPECT_THAT(error_of("%x = add %7, %1 : int32 %v = load %tile, %x : int32"), HasSubstr(text));
  EXPECT_THAT(error_of("%x = sub %0, %1 : int32 store %tile, %x, %i"), HasSubstr(text));
}

constexpr const char* kView = R"(
  %l0 = const 0 : int64
  %l2 = const 2 : int64
  %l4 = const 4 : int64
  %l8 = const 8 : int64
  %l16 = const 16 : int64
  %minus = const -8 : int64
  store %tile, %i, %i
  barrier
)";

TEST(Blocks, ViewsAreOtherArraysOverTheSameMemory) {
  const std::string rows = std::string(kView) + R"(
    %rows = view %tile, %l8, %l2, %l2, %l8, %l4 : array<int32, 2, shared>
    %n = extent #1, %rows : int64
    %s = stride #0, %rows : int64
    %last = view %rows, %l8, %l2, %l4 : array<int32, 1, shared>
    %a = load %rows, %1, %0 : int32
    %b = load %last, %1 : int32
    store %out, %0, %a
    store %out, %1, %b
    %n32 = convert %n : int32
    store %out, %2, %n32
    %s32 = convert %s : int32
    store %out, %4, %s32)";
  // Element [1, 0] of the rows that begin at 2 is 4; [1] of the row after it is 5.
  EXPECT_THAT(run(rows), ElementsAre(4, 5, 2, -1, 8, -1, -1, -1));
}

TEST(Blocks, ViewsRunBackwards) {
  EXPECT_THAT(
      run(std::string(kView) + "%l28 = const 28 : int64"
                               " %odd = view %tile, %l28, %l4, %minus : array<int32, 1, shared>"
                               " %small = lt %i, %4 : bool if %small { %v = load %odd, %i : int32"
                               " store %out, %me, %v }"),
      ElementsAre(7, 5, 3, 1, -1, -1, -1, -1));
}

TEST(Blocks, ViewsStayInTheirMemory) {
  const std::string beyond =
      std::string(kView) + "%v = view %tile, %l16, %l8, %l4 : array<int32, 1, shared>";
  EXPECT_EQ(error_of(beyond + "%x = load %v, %2 : int32"), "");
  EXPECT_THAT(error_of(beyond + "%x = load %v, %4 : int32"),
              HasSubstr("outside of the memory that the view was made of"));
  EXPECT_THAT(
      error_of(std::string(kView) + "%v = view %tile, %minus, %l8, %l4 : array<int32, 1, shared>"
                                    " store %v, %0, %i"),
      HasSubstr("outside of the memory"));
}

// Two arrays of one thread, with gaps for alignment; two blocks do not disturb each other.
TEST(Blocks, ArraysDoNotOverlap) {
  const auto f = parse(R"(kernel "many"
param @0 "out": array<int32, 1>
array &0 "a": array<int8, 1, shared> shape 3 strides 1 align 1
array &1 "b": array<int32, 0, shared> shape strides align 64
array &2 "c": array<int32, 1, local> shape 1 strides 4 align 4
array &3 "empty": array<int32, 2, shared> shape 0 5 strides 20 4 align 4
array &4 "d": array<int32, 1, local> shape 1 strides 4 align 4
{
  %out = param @0 : array<int32, 1>
  %a = array &0 : array<int8, 1, shared>
  %b = array &1 : array<int32, 0, shared>
  %c = array &2 : array<int32, 1, local>
  %d = array &4 : array<int32, 1, local>
  %0 = const 0 : int32
  %one = const 1 : int8
  %v = const 1000000 : int32
  %i = tid #0 : int32
  store %b, %v
  store %a, %0, %one
  store %c, %0, %i
  store %d, %0, %v
  %x = load %b : int32
  %y = load %c, %0 : int32
  %s = add %x, %y : int32
  store %out, %i, %s
})");
  std::vector<int32_t> out(4);
  interpret(*f, {array_of(out)}, {{2, 1, 1}, {2, 1, 1}});
  EXPECT_THAT(out, ElementsAre(1000000, 1000001, 1000002, 1000003));
  const MemoryLayout shared = memory_layout(*f, AddressSpace::Shared);
  EXPECT_THAT(shared.offsets, ElementsAre(0, 64, 0, 68, 0));
  EXPECT_EQ(shared.bytes, 68u);
  EXPECT_EQ(shared.align, 64u);
  EXPECT_EQ(memory_layout(*f, AddressSpace::Local).bytes, 8u);
}

}  // namespace
}  // namespace cuda_device::ir
