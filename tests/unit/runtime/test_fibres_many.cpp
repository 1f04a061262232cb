// Many thousands of blocks that wait for each other: they start, and what their waits cost grows as
// their number does.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <vector>

#include "unit/runtime/threads.h"

// The sanitizers take milliseconds, and memory, for each fibre.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

namespace cuda_device::runtime {
namespace {

// More than half of the mappings that a process may have.
constexpr uint32_t kBlocks = 40000;

bool is_set(uint32_t seen) { return seen != 0; }

TEST(ManyBlocks, MeetAtABarrierOfTheGrid) {
  for (const int workers : {1, 2}) {
    WorkerPool pool(workers);
    std::atomic<uint32_t> arrived{0};
    std::atomic<uint64_t> looks{0};
    const Ran ran = launch_of(kBlocks, 1).run(pool, [&](const TestThread& t) {
      ++arrived;
      looks += t.wait_until(arrived, [&](uint32_t seen) { return seen >= kBlocks; });
    });
    EXPECT_TRUE(ran.fine());
    EXPECT_EQ(arrived, kBlocks);
    EXPECT_LT(looks, uint64_t{40} * kBlocks);  // the word changes as long as blocks start
  }
}

// Each waits for the next one, or for the one before, which another worker may have.
TEST(ManyBlocks, InAChain) {
  constexpr uint32_t kChain = 20000;
  for (const bool for_the_next : {true, false}) {
    WorkerPool pool(1);
    std::vector<std::atomic<uint32_t>> done(kChain + 2);
    done[for_the_next ? kChain + 1 : 0] = 1;
    std::atomic<uint64_t> looks{0};
    const Ran ran = launch_of(kChain, 1).run(pool, [&](const TestThread& t) {
      const uint32_t own = t.block() + 1;
      looks += t.wait_until(done[for_the_next ? own + 1 : own - 1], is_set);
      done[own] = 1;
    });
    EXPECT_TRUE(ran.fine());
    EXPECT_EQ(done[for_the_next ? 1 : kChain], 1u);
    EXPECT_LT(looks, uint64_t{10} * kChain);
  }
}

// A block that waits for a word does not run before that changes, in whatever order the others do.
TEST(ManyBlocks, InAChainInAnyOrder) {
  for (const int workers : {1, 2}) {
    WorkerPool pool(workers);
    constexpr uint32_t kChain = 5000;
    std::vector<uint32_t> before(kChain);
    std::iota(before.begin(), before.end(), 0);
    std::ranges::shuffle(before, std::mt19937(1));
    std::vector<std::atomic<uint32_t>> done(kChain);
    std::vector<uint32_t> waits_for(kChain, kChain);
    for (uint32_t i = 1; i < kChain; ++i) waits_for[before[i]] = before[i - 1];
    std::atomic<uint64_t> looks{0};
    const Ran ran = launch_of(kChain, 1).run(pool, [&](const TestThread& t) {
      if (waits_for[t.block()] < kChain) looks += t.wait_until(done[waits_for[t.block()]], is_set);
      done[t.block()] = 1;
    });
    EXPECT_TRUE(ran.fine());
    EXPECT_LE(looks, uint64_t{3} * kChain);
  }
}

// Not even while others of its block go on.
TEST(ManyBlocks, AThreadThatWaitsForAWordDoesNotRun) {
  WorkerPool pool(1);
  std::atomic<uint32_t> word{0};
  std::atomic<uint64_t> looks{0};
  const Ran ran = launch_of(1, 100).run(pool, [&](const TestThread& t) {
    if (t.thread() == 50) {
      for (uint64_t i = 0; i < 1000; ++i) t.turn(i);
      word = 1;
    } else {
      looks += t.wait_until(word, is_set);
    }
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_LE(looks, 3u * 99);
}

// Each sets the word to another value than it has read: others may wait for that one.
TEST(ManyBlocks, AWordThatTheThreadItselfSetsIsNotAwaited) {
  WorkerPool pool(1);
  std::atomic<uint32_t> word{1};
  const Ran ran = launch_of(1, 2).run(pool, [&](const TestThread& t) {
    if (t.thread() == 0) {
      while (word.exchange(2) != 3) cd_thread_wait(&t.self, 0, 0, nullptr, 0, 4);
    } else {
      for (int i = 0; i < 100; ++i) {
        word = 1;
        t.turn(static_cast<uint64_t>(i));
        t.wait_until(word, [](uint32_t seen) { return seen == 2; });
      }
      word = 3;
    }
  });
  EXPECT_TRUE(ran.fine());
}

TEST(ManyBlocks, AreADeadlockSoonWhereNoneCanGoOn) {
  WorkerPool pool(2);
  std::atomic<uint32_t> never{0};
  const Ran ran =
      launch_of(kBlocks, 1).run(pool, [&](const TestThread& t) { t.wait_until(never, is_set, 7); });
  ASSERT_TRUE(ran.report.deadlock);
  ASSERT_EQ(ran.report.deadlock->places.size(), 1u);
  EXPECT_EQ(ran.report.deadlock->places[0].threads, kBlocks);
  EXPECT_EQ(ran.report.deadlock->not_started, 0u);
}

}  // namespace
}  // namespace cuda_device::runtime

#endif
