// Threads that wait for each other by memory: they take turns, in order and in random orders, and
// where none can go on the launch ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "ir/interpreter.h"
#include "ir/lane.h"
#include "unit/ir/arguments.h"

namespace cuda_device::ir {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

constexpr const char* kHead = R"(kernel "progress"
param @0 "out": array<int32, 1>
param @1 "memory": array<int32, 1>
slot $0 "k": int32
array &0 "tile": array<int32, 1, shared> shape 8 strides 4 align 4
array &1 "own": array<int32, 1, local> shape 2 strides 4 align 4
{
  %out = param @0 : array<int32, 1>
  %memory = param @1 : array<int32, 1>
  %tile = array &0 : array<int32, 1, shared>
  %own = array &1 : array<int32, 1, local>
  %0 = const 0 : int32
  %1 = const 1 : int32
  %2 = const 2 : int32
  %3 = const 3 : int32
  %31 = const 31 : int32
  %32 = const 32 : int32
  %100 = const 100 : int32
  %all = const 4294967295 : uint32
  %true = const true : bool
  %t = thread_idx #0 : uint32
  %i = convert %t : int32
  %b = block_idx #0 : uint32
  %block = convert %b : int32
  %me = tid #0 : int32
  %threads = grid_size #0 : int32
)";

struct Ran {
  std::vector<int32_t> out, memory;
};

Ran run(const std::string& body, Grid grid, const Schedule& schedule = {},
        uint64_t max_steps = UINT64_MAX) {
  Ran ran{std::vector<int32_t>(grid.grid[0] * grid.block[0], -1), std::vector<int32_t>(8)};
  const auto f = parse(kHead + body + "\n}\n");
  interpret(*f, {array_of(ran.out), array_of(ran.memory)}, grid, max_steps, nullptr, {}, schedule);
  return ran;
}

Grid grid_of(uint32_t blocks, uint32_t threads) { return {{blocks, 1, 1}, {threads, 1, 1}}; }

std::string error_of(const std::string& body, Grid grid, const Schedule& schedule = {}) {
  try {
    run(body, grid, schedule, 100'000'000);
  } catch (const InterpretError& e) {
    return e.what();
  }
  return "";
}

// In order, and in some random orders, of short turns and of long ones.
std::vector<Schedule> schedules() {
  std::vector<Schedule> all{{}};
  for (uint64_t seed = 0; seed < 6; ++seed) all.push_back({seed, seed % 2 ? 3u : 100u});
  return all;
}

// Waits until element `index` of memory is `value`.
std::string wait_for(const std::string& index, const std::string& value) {
  const std::string id = std::to_string(std::hash<std::string>()(index + value) % 1000);
  return "while { %seen" + id + " = atomic_load exch.acquire.device, %memory, " + index +
         " : int32 %wrong" + id + " = ne %seen" + id + ", " + value + " : bool yield %wrong" + id +
         " } do { } ";
}

// Each thread a hundred times: takes the lock, adds one by a load and a store, gives it back.
const std::string kLocks = R"(
  for $0, %0, %100, %1 {
    while {
      %held = atomic_cas exch.acquire.device, %memory, %0, %0, %1 : int32
      %taken = ne %held, %0 : bool
      yield %taken
    } do { }
    %old = load %memory, %1 : int32
    %new = add %old, %1 : int32
    store %memory, %1, %new
    atomic_store exch.release.device, %memory, %0, %0
  })";

TEST(Progress, ALockKeepsThreadsApart) {
  for (const Schedule& schedule : schedules()) {
    const Ran ran = run(kLocks, grid_of(3, 40), schedule);
    EXPECT_EQ(ran.memory[0], 0);
    EXPECT_EQ(ran.memory[1], 3 * 40 * 100);
  }
}

// The same without the lock: some order loses additions, so random orders are other orders.
TEST(Progress, RandomOrdersInterleave) {
  const std::string races = R"(
  for $0, %0, %100, %1 {
    %old = load %memory, %1 : int32
    %new = add %old, %1 : int32
    store %memory, %1, %new
  })";
  EXPECT_EQ(run(races, grid_of(2, 8)).memory[1], 1600);
  EXPECT_LT(run(races, grid_of(2, 8), {1}).memory[1], 1600);
  EXPECT_EQ(run(races, grid_of(2, 8), {1}).memory, run(races, grid_of(2, 8), {1}).memory);
  EXPECT_NE(run(races, grid_of(2, 8), {1}).memory, run(races, grid_of(2, 8), {2}).memory);
}

TEST(Progress, ThreadsWaitForLaterLanesWarpsAndBlocks) {
  // From the last thread of the grid to the first.
  const std::string body = "%after = add %me, %1 : int32 %left = sub %threads, %after : int32 " +
                           wait_for("%0", "%left") +
                           "%v = load %memory, %1 : int32 store %out, %me, %v "
                           "%w = add %v, %2 : int32 store %memory, %1, %w "
                           "%n = atomic_rmw add.release.device, %memory, %0, %1 : int32";
  for (const Schedule& schedule : schedules()) {
    const Ran ran = run(body, grid_of(3, 70), schedule);
    for (size_t k = 0; k < 210; ++k) EXPECT_EQ(ran.out[k], 2 * (209 - static_cast<int>(k)));
  }
}

TEST(Progress, ThreadsOfAllBlocksMeetByACounter) {
  const std::string body = "%n = atomic_rmw add.acq_rel.device, %memory, %0, %1 : int32 " +
                           wait_for("%0", "%threads") + "store %out, %me, %1";
  for (const Schedule& schedule : schedules())
    EXPECT_THAT(run(body, grid_of(20, 33), schedule).out, Each(1));
}

// What waits at a barrier is not waited for in vain by the other warp, which spins.
TEST(Progress, BarriersWaitForThreadsThatSpin) {
  const std::string body =
      "%second = ge %i, %32 : bool %first = lt %i, %32 : bool %last = eq %i, "
      "%31 : bool if %last { store %memory, %2, %3 } if %first { } else { " +
      wait_for("%2", "%3") + "} %c = barrier_count %second : int32 store %out, %me, %c";
  for (const Schedule& schedule : schedules())
    EXPECT_THAT(run(body, grid_of(2, 64), schedule).out, Each(32));
}

TEST(Progress, LanesMeetWhileOthersSpin) {
  // Lanes 1 to 31 vote, and only then release lane 0.
  const std::string body = R"(
  %rest = const 4294967294 : uint32
  %zero = eq %i, %0 : bool
  if %zero {
    while {
      %seen = atomic_load exch.acquire.block, %tile, %0 : int32
      %not_yet = ne %seen, %3 : bool
      yield %not_yet
    } do { }
    store %out, %me, %3
  } else {
    %who = ballot %rest, %true : uint32
    %v = bitcast %who : int32
    store %out, %me, %v
    atomic_store exch.release.block, %tile, %0, %3
  })";
  for (const Schedule& schedule : schedules()) {
    const Ran ran = run(body, grid_of(1, 32), schedule);
    EXPECT_EQ(ran.out[0], 3);
    EXPECT_THAT(std::vector(ran.out.begin() + 1, ran.out.end()), Each(-2));
  }
}

// Those that ask who is active are not kept waiting by one that waits for them, whether that is
// known to spin or counts.
TEST(Progress, ActiveLanesAreKnownWhileOthersWait) {
  for (const std::string count : {"",
                                  "%k = slot_load $0 : int32 %m = add %k, %1 : int32 "
                                  "slot_store $0, %m"}) {
    const std::string body = R"(
  %zero = eq %i, %0 : bool
  if %zero {
    while {
      %seen = atomic_load exch.acquire.device, %memory, %0 : int32
      %not_yet = eq %seen, %0 : bool
      yield %not_yet
    } do { )" + count + R"( }
  } else {
    %who = active_mask : uint32
    %v = bitcast %who : int32
    store %out, %me, %v
    atomic_store exch.release.device, %memory, %0, %3
  })";
    const Ran ran = run(body, grid_of(1, 32));
    EXPECT_THAT(std::vector(ran.out.begin() + 1, ran.out.end()), Each(-2)) << count;
  }
}

// A thread that takes long, waiting for nobody, is among the active ones when it comes.
TEST(Progress, ActiveLanesWaitForOnesThatTakeLong) {
  const std::string body = R"(
  %zero = eq %i, %0 : bool
  %many = const 300000 : int32
  if %zero {
    for $0, %0, %many, %1 { }
  }
  %who = active_mask : uint32
  %v = bitcast %who : int32
  store %out, %me, %v)";
  EXPECT_THAT(run(body, grid_of(1, 32)).out, Each(-1));
  EXPECT_THAT(run(body, grid_of(1, 32), {5}).out, Each(-1));
}

// --- deadlocks ---

constexpr const char* kDeadlock = "its threads wait for each other and none can go on (deadlock): ";

TEST(Progress, AFlagThatNobodySetsIsADeadlock) {
  const std::string body = R"(
  while {
    %seen = atomic_load exch.acquire.device, %memory, %2 : int32 !0:7:4-7:9
    %wrong = ne %seen, %3 : bool
    yield %wrong
  } do { })";
  for (const Schedule& schedule : schedules()) {
    EXPECT_THAT(error_of(body, grid_of(3, 40), schedule),
                AllOf(HasSubstr(kDeadlock),
                      HasSubstr("120 threads (block (0, 0, 0), thread (0, 0, "
                                "0)) at '"),
                      HasSubstr("atomic_load exch.acquire.device"), HasSubstr("in line 7")));
  }
  EXPECT_THAT(error_of(body, grid_of(1, 1)),
              HasSubstr("(deadlock): block (0, 0, 0), thread (0, 0, 0) at '"));
}

TEST(Progress, LocksTakenInOppositeOrderAreADeadlock) {
  const std::string body = R"(
  %odd = eq %block, %1 : bool
  %other = sub %1, %block : int32
  while {
    %a = atomic_rmw exch.acquire.device, %memory, %block, %1 : int32
    %taken = ne %a, %0 : bool
    yield %taken
  } do { }
  atomic_store exch.relaxed.device, %tile, %0, %1
  %two = atomic_rmw add.relaxed.device, %memory, %2, %1 : int32
  while {
    %both = atomic_load exch.relaxed.device, %memory, %2 : int32
    %alone = ne %both, %2 : bool
    yield %alone
  } do { }
  while {
    %c = atomic_rmw exch.acquire.device, %memory, %other, %1 : int32
    %held = ne %c, %0 : bool
    yield %held
  } do { })";
  for (const Schedule& schedule : schedules())
    EXPECT_THAT(error_of(body, grid_of(2, 1), schedule),
                AllOf(HasSubstr(kDeadlock), HasSubstr("2 threads (block (0, 0, 0)")));
}

TEST(Progress, ABarrierThatOneWarpDoesNotReachIsADeadlock) {
  const std::string body = "%second = ge %i, %32 : bool if %second { " + wait_for("%2", "%3") +
                           "} barrier store %memory, %2, %3";
  for (const Schedule& schedule : schedules())
    EXPECT_THAT(error_of(body, grid_of(1, 64), schedule),
                AllOf(HasSubstr(kDeadlock),
                      HasSubstr("32 threads (block (0, 0, 0), thread (32, 0, 0)) at '"),
                      HasSubstr("32 threads (block (0, 0, 0), thread (0, 0, 0)) at 'barrier'")));
}

TEST(Progress, LanesThatWaitForOneThatSpinsAreADeadlock) {
  const std::string body = "%zero = eq %i, %0 : bool if %zero { " + wait_for("%2", "%3") +
                           "} warp_sync %all store %memory, %2, %3";
  EXPECT_THAT(error_of(body, grid_of(1, 32)),
              AllOf(HasSubstr(kDeadlock), HasSubstr("31 threads"), HasSubstr("at 'warp_sync")));
}

// They meet each time that they look.
TEST(Progress, WarpsAndBlocksThatSpinTogetherAreADeadlock) {
  const auto loop = [](const std::string& vote) {
    return "while { %seen = atomic_load exch.acquire.device, %memory, %2 : int32 "
           "%wrong = ne %seen, %3 : bool %any = " +
           vote + " : bool yield %any } do { } store %memory, %2, %3";
  };
  for (const Schedule& schedule : schedules()) {
    EXPECT_THAT(error_of(loop("vote_any %all, %wrong"), grid_of(2, 40), schedule),
                AllOf(HasSubstr(kDeadlock), HasSubstr("80 threads"), HasSubstr("vote_any")));
    EXPECT_THAT(error_of(loop("barrier_or %wrong"), grid_of(2, 40), schedule),
                AllOf(HasSubstr(kDeadlock), HasSubstr("80 threads"), HasSubstr("barrier_or")));
  }
}

TEST(Progress, WarpsAndBlocksThatSpinTogetherGoOn) {
  const auto waits = [](const std::string& vote) {
    return "%last = eq %block, %2 : bool if %last { store %memory, %2, %3 } "
           "while { %seen = atomic_load exch.acquire.device, %memory, %2 : int32 "
           "%wrong = ne %seen, %3 : bool %any = " +
           vote + " : bool yield %any } do { } store %out, %me, %3";
  };
  for (const Schedule& schedule : schedules()) {
    EXPECT_THAT(run(waits("vote_any %all, %wrong"), grid_of(3, 40), schedule).out, Each(3));
    EXPECT_THAT(run(waits("barrier_or %wrong"), grid_of(3, 40), schedule).out, Each(3));
  }
}

// A hundred rounds that read the same are no circle where a counter tells them apart.
TEST(Progress, RoundsThatAreCountedAreNoDeadlock) {
  const std::string body =
      "%many = const 3000 : int32 for $0, %0, %many, %1 { %x = ballot %all, %true : uint32 "
      "%n = barrier_count %true : int32 } store %out, %me, %3";
  for (const Schedule& schedule : schedules())
    EXPECT_THAT(run(body, grid_of(2, 64), schedule).out, Each(3));
}

// What a loop leaves as it is, or in the thread's own memory, lets nobody go on.
TEST(Progress, StoresThatChangeNothingAreNoProgress) {
  const std::string body = R"(
  store %memory, %3, %2
  while {
    %seen = atomic_load exch.acquire.device, %memory, %2 : int32
    %wrong = ne %seen, %3 : bool
    yield %wrong
  } do {
    store %memory, %3, %2
    store %own, %0, %0
    store %own, %0, %1
  })";
  EXPECT_THAT(error_of(body, grid_of(1, 2)), HasSubstr("(deadlock)"));
}

TEST(Progress, ALongLoopIsFoundToo) {
  const std::string body = R"(
  while {
    %seen = atomic_load exch.acquire.device, %memory, %2 : int32
    %wrong = ne %seen, %3 : bool
    yield %wrong
  } do {
    %long = const 20000 : int32
    for $0, %0, %long, %1 { }
  })";
  EXPECT_THAT(error_of(body, grid_of(1, 2)), HasSubstr("(deadlock)"));
}

TEST(Progress, AtMostEightPlacesAreNamed) {
  std::string body;
  for (int k = 0; k < 11; ++k) {
    const std::string n = std::to_string(k);
    body += "%c" + n + " = const " + n + " : int32 %is" + n + " = eq %i, %c" + n +
            " : bool if %is" + n + " { while { %s" + n +
            " = atomic_load exch.relaxed.device, %memory, %2 : int32 %w" + n + " = eq %s" + n +
            ", %0 : bool yield %w" + n + " } do { } } ";
  }
  EXPECT_THAT(error_of(body, grid_of(1, 11)), HasSubstr("; and 3 more places"));
}

// A wait that gives up is none: it goes on until the steps are used up, or it is done.
TEST(Progress, WaitsThatCountAreNoDeadlock) {
  const std::string body = R"(
  %patience = const 2000000 : int32
  while {
    %k = slot_load $0 : int32
    %some = lt %k, %patience : bool
    yield %some
  } do {
    %seen = atomic_load exch.acquire.device, %memory, %2 : int32
    %right = eq %seen, %3 : bool
    if %right { break }
    %count = slot_load $0 : int32
    %m = add %count, %1 : int32
    slot_store $0, %m
  }
  %n = slot_load $0 : int32
  store %out, %me, %n)";
  EXPECT_THAT(run(body, grid_of(2, 1)).out, Each(2'000'000));
}

TEST(Progress, APrintedLineIsProgress) {
  const auto f = parse(R"(kernel "prints"
format ~0 "again\x0a"
{
  %true = const true : bool
  while { yield %true } do { print ~0 }
})");
  EXPECT_THROW(
      {
        try {
          interpret(*f, {}, {}, 100'000);
        } catch (const InterpretError& e) {
          EXPECT_THAT(e.what(), HasSubstr("more than 100000 steps"));
          throw;
        }
      },
      InterpretError);
}

}  // namespace
}  // namespace cuda_device::ir
