// Kernels whose threads run one by one: every thread once, barriers, locks, waits for other blocks.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <fstream>

#include "runtime/host/fibres/stacks.h"
#include "unit/in_child.h"
#include "unit/runtime/threads.h"

#if defined(__x86_64__)
#include <xmmintrin.h>

namespace cuda_device::runtime {
namespace {

using abi::ThreadBarrier;

// The thread sanitizer knows a few thousand fibres at once, and takes milliseconds for each.
#if defined(__SANITIZE_THREAD__)
constexpr uint32_t kManyBlocks = 40, kSomeBlocks = 5, kRounds = 10;
#else
constexpr uint32_t kManyBlocks = 1000, kSomeBlocks = 100, kRounds = 100;
#endif

TEST(Fibres, RunEveryThreadOnce) {
  for (const int workers : {1, 2, 4}) {
    WorkerPool pool(workers);
    for (const uint32_t threads : {1u, 31u, 32u, 33u, 100u, 1024u})
      for (const uint32_t blocks : {1u, 2u, 3u, kSomeBlocks}) {
        std::vector<std::atomic<int>> runs(blocks * threads);
        const Ran ran = launch_of(blocks, threads).run(pool, [&](const TestThread& t) {
          ++runs[t.block() * threads + t.thread()];
        });
        EXPECT_TRUE(ran.fine()) << ran.error;
        for (const auto& r : runs)
          ASSERT_EQ(r, 1) << threads << " threads, " << blocks << " blocks";
      }
  }
}

TEST(Fibres, HaveIndicesOfThreeDimensions) {
  WorkerPool pool(2);
  ThreadLaunch launch;
  launch.grid = {3, 4, 5};
  launch.block = {2, 3, 7};
  std::vector<std::atomic<int>> runs(3 * 4 * 5 * 2 * 3 * 7);
  const Ran ran = launch.run(pool, [&](const TestThread& t) {
    bool inside = t.self.context.dims.grid == std::array<uint32_t, 3>{3, 4, 5};
    for (int axis = 0; axis < 3; ++axis)
      inside = inside && t.self.block[axis] < t.self.context.dims.grid[axis] &&
               t.self.thread[axis] < t.self.context.dims.block[axis];
    if (inside) ++runs[t.block() * 42 + t.thread()];
  });
  EXPECT_TRUE(ran.fine());
  for (const auto& r : runs) EXPECT_EQ(r, 1);
}

TEST(Fibres, BlocksHaveArraysOfTheirOwn) {
  WorkerPool pool(2);
  ThreadLaunch launch = launch_of(50, 64);
  launch.arrays = 64 * sizeof(uint32_t) + 3;
  launch.shared = 64 * sizeof(uint32_t);
  std::atomic<int> wrong{0};
  const Ran ran = launch.run(pool, [&](const TestThread& t) {
    auto* const own = static_cast<uint32_t*>(t.self.context.arena);
    auto* const shared = static_cast<uint32_t*>(t.self.context.shared);
    wrong += reinterpret_cast<uintptr_t>(own) % abi::kArenaAlign != 0;
    wrong += reinterpret_cast<uintptr_t>(shared) % 64 != 0;
    own[t.thread()] = t.block() * 64 + t.thread();
    shared[t.thread()] = own[t.thread()] + 1;
    t.barrier();
    const uint32_t other = 63 - t.thread();
    wrong += own[other] != t.block() * 64 + other || shared[other] != own[other] + 1;
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(wrong, 0);
}

TEST(Fibres, BarriersGiveTheResultsOfThoseThatCame) {
  WorkerPool pool(2);
  std::atomic<int> wrong{0};
  const Ran ran = launch_of(20, 100).run(pool, [&](const TestThread& t) {
    for (uint32_t i = 0; i < 100; i += 100 / kRounds) {
      const bool mine = t.thread() < i;
      wrong += t.barrier(ThreadBarrier::Count, mine) != static_cast<int32_t>(i);
      wrong += t.barrier(ThreadBarrier::And, mine) != 0;
      wrong += t.barrier(ThreadBarrier::And, i < 100) != 1;
      wrong += t.barrier(ThreadBarrier::Or, mine) != (i > 0);
      wrong += t.barrier(ThreadBarrier::Barrier, true) != 0;
    }
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(wrong, 0);
}

// One after the other, so that every number of threads meets.
TEST(Fibres, ThreadsThatHaveLeftAreNotWaitedForAtBarriers) {
  WorkerPool pool(1);
  for (const bool lowest_first : {true, false}) {
    std::atomic<int> wrong{0};
    const Ran ran = launch_of(3, 100).run(pool, [&](const TestThread& t) {
      const uint32_t stays = lowest_first ? t.thread() : 99 - t.thread();
      for (uint32_t i = 0; i <= stays; ++i)
        wrong += t.barrier(ThreadBarrier::Count, true) != static_cast<int32_t>(100 - i);
    });
    EXPECT_TRUE(ran.fine());
    EXPECT_EQ(wrong, 0);
  }
}

TEST(Fibres, BarriersOfDifferentPlacesAreTheSame) {
  WorkerPool pool(1);
  const Ran ran = launch_of(1, 64).run(
      pool, [&](const TestThread& t) { t.thread() < 32 ? t.barrier(1) : t.barrier(2); });
  EXPECT_TRUE(ran.fine());
}

// Those at the first barrier of two meet those that skip it at their second one.
TEST(Fibres, BarriersOfDifferentPlacesVoteTogether) {
  WorkerPool pool(1);
  std::atomic<int> wrong{0};
  const Ran ran = launch_of(3, 70).run(pool, [&](const TestThread& t) {
    const bool both = t.thread() % 10 == 0;
    if (both) wrong += t.barrier(ThreadBarrier::Count, true, 1) != 42;
    wrong += t.barrier(ThreadBarrier::Count, t.thread() % 2 == 1 || both, 2) != (both ? 7 : 42);
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(wrong, 0);
}

TEST(Fibres, LockWithinAWarp) {
  WorkerPool pool(1);
  std::atomic<int> lock{0};
  int count = 0;
  const Ran ran = launch_of(4, 64).run(pool, [&](const TestThread& t) {
    for (uint32_t i = 0; i < kRounds / 2; ++i) {
      t.lock(lock);
      const int before = count;
      t.turn(i + 100);  // as slow as it may be
      count = before + 1;
      lock = 0;
    }
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(count, 4 * 64 * static_cast<int>(kRounds / 2));
}

TEST(Fibres, LockBetweenBlocksAndWorkers) {
  WorkerPool pool(4);
  std::atomic<int> lock{0};
  int count = 0;
  const Ran ran = launch_of(64, 64).run(pool, [&](const TestThread& t) {
    for (int i = 0; i < 5; ++i) {
      t.lock(lock);
      ++count;
      lock = 0;
    }
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(count, 64 * 64 * 5);
}

// Blocks wait for all others, ten times.
TEST(Fibres, BarrierOfTheGrid) {
  for (const int workers : {1, 2, 4}) {
    WorkerPool pool(workers);
    std::atomic<uint32_t> arrived{0};
    std::atomic<int> wrong{0};
    const Ran ran = launch_of(kManyBlocks, 64).run(pool, [&](const TestThread& t) {
      for (uint32_t phase = 1; phase <= 10; ++phase) {
        t.barrier();
        if (t.thread() == 0) {
          ++arrived;
          for (uint32_t seen; (seen = arrived) < phase * kManyBlocks;) t.turn(seen);
        }
        t.barrier();
        wrong += arrived < phase * kManyBlocks;
      }
    });
    EXPECT_TRUE(ran.fine()) << ran.error;
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(arrived, 10 * kManyBlocks);
  }
}

// The same where all threads spin, and each counts how long it has waited: they seem to advance.
TEST(Fibres, BarrierOfTheGridWithWaitsThatCount) {
  constexpr uint32_t kBlocks = kManyBlocks / 10;
  WorkerPool pool(2);
  std::atomic<uint32_t> arrived{0};
  const Ran ran = launch_of(kBlocks, 32).run(pool, [&](const TestThread& t) {
    if (t.thread() == 0) ++arrived;
    for (uint64_t waited = 0; arrived < kBlocks;) t.turn(++waited);
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(arrived, kBlocks);
}

// And where the whole block spins by a barrier's result.
TEST(Fibres, BarrierOfTheGridWithWaitsAtBarriers) {
  constexpr uint32_t kBlocks = kManyBlocks / 10;
  WorkerPool pool(2);
  std::atomic<uint32_t> arrived{0};
  const Ran ran = launch_of(kBlocks, 32).run(pool, [&](const TestThread& t) {
    if (t.thread() == 0) ++arrived;
    for (;;) {
      const bool there = t.thread() == 0 && arrived == kBlocks;
      if (t.barrier(ThreadBarrier::Or, there)) return;
      t.turn(there);
    }
  });
  EXPECT_TRUE(ran.fine());
}

// Each block waits for what the next one makes of what it made.
TEST(Fibres, BlocksWaitForLaterOnesAndForEarlierOnes) {
  for (const int workers : {1, 3}) {
    WorkerPool pool(workers);
    constexpr uint32_t kBlocks = 100;
    std::vector<std::atomic<uint32_t>> there(kBlocks + 1), back(kBlocks + 1);
    there[0] = back[kBlocks] = 1;
    const Ran ran = launch_of(kBlocks, 32).run(pool, [&](const TestThread& t) {
      if (t.thread() != 0) return;
      t.wait_for(there[t.block()], 1u, 1);
      there[t.block() + 1] = 1;
      t.wait_for(back[t.block() + 1], 1u, 2);
      back[t.block()] = 1;
    });
    EXPECT_TRUE(ran.fine());
    EXPECT_EQ(back[0], 1u);
  }
}

TEST(Fibres, ProducersAndConsumersShareASlot) {
  for (const int workers : {1, 2}) {
    WorkerPool pool(workers);
    std::atomic<uint32_t> slot{0}, sum{0};
    const Ran ran = launch_of(2, 32).run(pool, [&](const TestThread& t) {
      if (t.thread() != 0) return;
      for (uint32_t i = 1; i <= 1000; ++i) {
        if (t.block() == 0) {  // consumes
          uint32_t item;
          while ((item = slot) == 0) t.turn(i);
          sum += item;
          slot = 0;
        } else {
          t.wait_for(slot, 0u);
          slot = i;
        }
      }
    });
    EXPECT_TRUE(ran.fine());
    EXPECT_EQ(sum, 500500u);
  }
}

// --- failures ---

TEST(Fibres, AFailureEndsItsBlockAndLeavesOthersOut) {
  for (const int workers : {1, 3}) {
    WorkerPool pool(workers);
    std::atomic<uint32_t> ends{0}, last_of_block{0};
    const Ran ran = launch_of(100000, 64).run(pool, [&](const TestThread& t) {
      if (t.block() == 40 && t.thread() == 5) t.fail(7);
      t.barrier();
      ++ends;
      if (t.block() == 40) ++last_of_block;
    });
    EXPECT_EQ(ran.error, "");
    ASSERT_TRUE(ran.report.failed);
    EXPECT_FALSE(ran.report.deadlock);
    EXPECT_EQ(ran.report.failed->failure, 7u);
    EXPECT_EQ(ran.report.failed->block[0], 40u);
    EXPECT_EQ(ran.report.failed->thread[0], 5u);
    EXPECT_EQ(last_of_block, 0u);
    EXPECT_LT(ends, 100000u * 64);
  }
}

TEST(Fibres, BlocksThatWaitForOneThatFailedAreLeft) {
  for (const int workers : {1, 3}) {
    WorkerPool pool(workers);
    std::atomic<uint32_t> never{0};
    const Ran ran = launch_of(50, 32).run(pool, [&](const TestThread& t) {
      if (t.block() == 49) t.fail(1);
      for (uint64_t waited = 0; never == 0;) t.turn(t.block() % 2 ? ++waited : 0);
    });
    EXPECT_TRUE(ran.report.failed);
    EXPECT_FALSE(ran.report.deadlock);
    EXPECT_LT(ran.seconds.count(), 5.0);
  }
}

TEST(Fibres, AnExceptionIsTheLaunchsError) {
  WorkerPool pool(2);
  const Ran ran = launch_of(100, 32).run(pool, [&](const TestThread& t) {
    if (t.block() == 7 && t.thread() == 3) throw std::runtime_error("thread 3");
    t.barrier();
  });
  EXPECT_EQ(ran.error, "thread 3");
  std::atomic<int> runs{0};
  EXPECT_TRUE(launch_of(100, 32).run(pool, [&](const TestThread&) { ++runs; }).fine());
  EXPECT_EQ(runs, 3200);
}

// --- floating point ---

TEST(Fibres, HaveTheKernelsFloatingPointEnvironment) {
  WorkerPool pool(2);
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // denormals are zero
  std::atomic<int> wrong{0};
  const Ran ran = launch_of(10, 32).run(pool, [&](const TestThread& t) {
    wrong += _mm_getcsr() != 0x1f80;
    t.barrier();
    wrong += _mm_getcsr() != 0x1f80;
  });
  EXPECT_EQ(_mm_getcsr(), before | 0x8040);
  _mm_setcsr(before);
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace cuda_device::runtime

#endif
