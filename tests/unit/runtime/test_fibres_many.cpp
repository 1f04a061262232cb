// Many thousands of blocks that wait for each other: they start, and what their waits cost grows as
// their number does.
#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

#include "unit/runtime/threads.h"

// The sanitizers take milliseconds, and memory, for each fibre.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

namespace cuda_device::runtime {
namespace {

// More than half of the mappings that a process may have.
constexpr uint32_t kBlocks = 40000;

// Waits for the word, and counts how often threads have looked.
struct Waits {
  std::atomic<uint64_t> looks{0};
  template <class Done>
  void until(const TestThread& t, const std::atomic<uint32_t>& word, Done done) {
    for (;;) {
      const uint32_t seen = word.load();
      ++looks;
      if (done(seen)) return;
      t.turn(seen, 0);
    }
  }
};

TEST(ManyBlocks, MeetAtABarrierOfTheGrid) {
  for (const int workers : {1, 2}) {
    WorkerPool pool(workers);
    std::atomic<uint32_t> arrived{0};
    Waits waits;
    const Ran ran = launch_of(kBlocks, 1).run(pool, [&](const TestThread& t) {
      ++arrived;
      waits.until(t, arrived, [&](uint32_t seen) { return seen >= kBlocks; });
    });
    EXPECT_TRUE(ran.fine());
    EXPECT_EQ(arrived, kBlocks);
    EXPECT_LT(waits.looks, uint64_t{40} * kBlocks);
  }
}

// Each waits for the next one, or for the one before, which another worker may have.
TEST(ManyBlocks, InAChain) {
  constexpr uint32_t kChain = 20000;
  for (const bool for_the_next : {true, false}) {
    WorkerPool pool(1);
    std::vector<std::atomic<uint32_t>> done(kChain + 2);
    done[for_the_next ? kChain + 1 : 0] = 1;
    Waits waits;
    const Ran ran = launch_of(kChain, 1).run(pool, [&](const TestThread& t) {
      const uint32_t own = t.block() + 1;
      waits.until(t, done[for_the_next ? own + 1 : own - 1], [](uint32_t seen) { return seen; });
      done[own] = 1;
    });
    EXPECT_TRUE(ran.fine());
    EXPECT_EQ(done[for_the_next ? 1 : kChain], 1u);
    EXPECT_LT(waits.looks, uint64_t{40} * kChain);
  }
}

TEST(ManyBlocks, AreADeadlockSoonWhereNoneCanGoOn) {
  WorkerPool pool(2);
  std::atomic<uint32_t> never{0};
  const Ran ran =
      launch_of(kBlocks, 1).run(pool, [&](const TestThread& t) { t.wait_for(never, 1u, 7); });
  ASSERT_TRUE(ran.report.deadlock);
  ASSERT_EQ(ran.report.deadlock->places.size(), 1u);
  EXPECT_EQ(ran.report.deadlock->places[0].threads, kBlocks);
  EXPECT_EQ(ran.report.deadlock->not_started, 0u);
}

}  // namespace
}  // namespace cuda_device::runtime

#endif
