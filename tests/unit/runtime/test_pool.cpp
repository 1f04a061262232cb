// The worker pool: every block once, whatever the sizes, the threads there are, and what goes
// wrong.
#include "runtime/host/pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "unit/in_child.h"
#include "unit/runtime/blocks.h"

namespace cuda_device::runtime {
namespace {

using std::chrono::milliseconds;

void nap(uint64_t) { std::this_thread::sleep_for(milliseconds(1)); }

// A machine on which only so many threads can be started.
StartThread at_most(int threads) {
  return [left = threads](std::function<void()> body) mutable {
    if (left-- <= 0)
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
    return std::thread(std::move(body));
  };
}

TEST(Pool, RunsEveryBlockOnce) {
  for (int threads : {1, 2, 3, 8}) {
    WorkerPool pool(threads);
    for (uint32_t blocks : {1u, 2u, 3u, 7u, 31u, 32u, 33u, 100u, 1000u, 100003u}) {
      Counts counts(blocks);
      EXPECT_EQ(pool.run(counts.job()), "");
      EXPECT_TRUE(counts.all_once()) << blocks << " blocks, " << threads << " threads";
    }
  }
}

// Arrays of a block lie at multiples of their alignment in it.
TEST(Pool, MemoryIsAligned) {
  const abi::HostEntry entry = [](const void* wrong, const abi::HostContext* context, uint64_t,
                                  uint64_t) {
    const auto address = reinterpret_cast<uintptr_t>(context->arena);
    if (address % abi::kArenaAlign != 0) ++**static_cast<std::atomic<int>* const*>(wrong);
  };
  std::atomic<int> wrong = 0;
  std::atomic<int>* where = &wrong;
  WorkerPool pool(2);
  for (uint32_t bytes = 64; bytes < 1u << 20; bytes += bytes / 2 + 64)
    EXPECT_EQ(pool.run(std::make_shared<Job>(entry, &where, grid_of(8, 1, 1), bytes)), "");
  EXPECT_EQ(wrong, 0);
}

// As a handler of a signal does.
TEST(Pool, ALaunchWithinALaunchHasMemoryOfItsOwn) {
  static constexpr int kBytes = 256;
  struct Within {
    WorkerPool pool{1};
    int depth = 0, wrong = 0;
    Within* self = this;
    static void entry(const void* params, const abi::HostContext* context, uint64_t, uint64_t) {
      Within& within = **static_cast<Within* const*>(params);
      const int depth = ++within.depth;
      auto* const memory = static_cast<uint8_t*>(context->arena);
      std::fill_n(memory, kBytes, static_cast<uint8_t>(depth));
      if (depth < 3) {
        EXPECT_EQ(within.pool.run(within.job()), "");
      }
      within.wrong += std::count(memory, memory + kBytes, depth) != kBytes;
    }
    std::shared_ptr<Job> job() { return std::make_shared<Job>(&entry, &self, grid_of(1), kBytes); }
  } within;
  EXPECT_EQ(within.pool.run(within.job()), "");
  EXPECT_EQ(within.depth, 3);
  EXPECT_EQ(within.wrong, 0);
}

TEST(Pool, RunsGridsOfThreeDimensions) {
  Counts counts(3 * 5 * 7);
  Counts* self = &counts;
  EXPECT_EQ(pool().run(std::make_shared<Job>(&Counts::entry, &self, grid_of(3, 5, 7), 0)), "");
  EXPECT_TRUE(counts.all_once());
}

// Blocks that wait for each other show that so many threads are in them at once.
std::atomic<int> present;

TEST(Pool, UsesItsThreads) {
  WorkerPool pool(4);
  present = 0;
  Counts counts(4, [](uint64_t) {
    ++present;
    while (present < 4) std::this_thread::yield();
  });
  EXPECT_EQ(pool.run(counts.job()), "");
  EXPECT_EQ(present, 4);
}

TEST(Pool, ManyThreadsLaunchAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 200; ++i) {
        Counts counts(64);
        EXPECT_EQ(pool().run(counts.job()), "");
        EXPECT_TRUE(counts.all_once());
      }
    });
  for (auto& t : threads) t.join();
}

// As on a machine so busy that they are not let run.
TEST(Pool, JobsThatAreDoneDoNotPileUpWhileWorkersAreHeldUp) {
  WorkerPool pool(2);
  std::atomic<int> held{0};
  std::atomic<bool> let_go{false};
  for (int i = 0; i < 2; ++i)
    pool.post([&] {
      ++held;
      while (!let_go) nap(0);
    });
  while (held < 2) nap(0);
  Counts counts(4);
  std::atomic<bool> after{false};
  pool.post([&] { after = true; });
  const std::weak_ptr<Job> job = [&] {
    const std::shared_ptr<Job> running = counts.job();
    EXPECT_EQ(pool.run(running), "");
    return running;
  }();
  EXPECT_TRUE(counts.all_once());
  EXPECT_TRUE(job.expired());
  EXPECT_FALSE(after);
  let_go = true;
  while (!after) nap(0);
}

// --- fewer threads than wanted ---

TEST(Pool, WorksWithTheThreadsItGets) {
  for (int available : {0, 1, 3}) {
    WorkerPool pool(8, at_most(available));
    EXPECT_EQ(pool.threads(), available + 1);
    Counts counts(1000);
    EXPECT_EQ(pool.run(counts.job()), "");
    EXPECT_TRUE(counts.all_once());
    std::atomic<int> ran{0};
    for (int i = 0; i < 100; ++i) pool.post([&] { ++ran; });
    pool.stop();
    EXPECT_EQ(ran, 100);
  }
}

TEST(Pool, WithoutWorkersTasksRunOnTheCallingThreadInOrder) {
  WorkerPool pool(4, at_most(0));
  std::vector<int> order;
  pool.post([&] {
    pool.post([&] { order.push_back(2); });
    order.push_back(1);
  });
  EXPECT_EQ(order, (std::vector{1, 2}));
}

TEST(Pool, WithoutWorkersTasksDoNotPileUpOnTheStack) {
  WorkerPool pool(1, at_most(0));
  int left = 1000000;
  std::function<void()> again = [&] {
    if (--left > 0) pool.post(again);
  };
  pool.post(again);
  EXPECT_EQ(left, 0);
}

// --- the end ---

TEST(Pool, RunsWhatIsQueuedBeforeItStops) {
  std::atomic<int> ran{0};
  {
    WorkerPool pool(2);
    for (int i = 0; i < 50; ++i)
      pool.post([&] {
        nap(0);
        ++ran;
      });
  }
  EXPECT_EQ(ran, 50);
}

TEST(Pool, GoesOnWithoutWorkersWhenItWasStopped) {
  WorkerPool pool(4);
  pool.stop();
  Counts counts(1000);
  EXPECT_EQ(pool.run(counts.job()), "");
  EXPECT_TRUE(counts.all_once());
  bool ran = false;
  pool.post([&] { ran = true; });
  EXPECT_TRUE(ran);
}

// A task that comes when the last worker has gone and stop() is still waiting for its thread.
TEST(Pool, LosesNoTaskWhileItStops) {
  std::atomic<bool> gone{false}, posted{false}, ran{false};
  WorkerPool pool(1, [&](std::function<void()> body) {
    return std::thread([&, body] {
      body();
      gone = true;
      while (!posted) std::this_thread::yield();
    });
  });
  std::thread poster([&] {
    while (!gone) std::this_thread::yield();
    pool.post([&] { ran = true; });
    posted = true;
  });
  pool.stop();
  poster.join();
  EXPECT_TRUE(ran);
}

// --- errors ---

TEST(Pool, AnExceptionIsTheJobsErrorAndOthersRunOn) {
  WorkerPool pool(4);
  for (uint64_t bad : {0u, 1u, 500u, 999u}) {
    static std::atomic<uint64_t> thrower;
    thrower = bad;
    Counts counts(1000, [](uint64_t block) {
      if (block == thrower) throw std::runtime_error("block " + std::to_string(block));
    });
    EXPECT_EQ(pool.run(counts.job()), "block " + std::to_string(bad));
    Counts next(1000);
    EXPECT_EQ(pool.run(next.job()), "");
    EXPECT_TRUE(next.all_once());
  }
}

TEST(Pool, WithoutMemoryForABlockTheLaunchFails) {
  if (!kForksWork) GTEST_SKIP() << "waits for a build without sanitizers";
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "waits for a build without the address sanitizer, which takes more address "
                  "space than this test leaves";
#endif
  EXPECT_EQ(in_child([] {
              WorkerPool pool(2);
              Counts small(64), large(64);
              if (!pool.run(small.job(1 << 16)).empty()) return 1;
              const rlimit limit{1u << 30, 1u << 30};
              if (setrlimit(RLIMIT_AS, &limit)) return 2;
              const std::string error = pool.run(large.job(UINT32_MAX));
              if (!error.starts_with("out of memory: a block needs 4294967295 bytes")) return 3;
              return large.how_many() == 0 && pool.run(Counts(64).job()).empty() ? 0 : 4;
            }),
            0);
}

// --- interruption ---

TEST(Pool, AnInterruptedJobRunsNoBlocksThatHaveNotBegun) {
  WorkerPool pool(3);
  constexpr uint32_t kBlocks = 100000;  // of a millisecond each
  Counts counts(kBlocks, nap);
  int questions = 0;
  const std::function<bool()> ask = [&] { return ++questions == 2; };
  Interrupt interrupt(ask);
  const auto started = std::chrono::steady_clock::now();
  EXPECT_EQ(pool.run(counts.job(), &interrupt), "");
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
  EXPECT_TRUE(interrupt.happened());
  EXPECT_EQ(questions, 2);
  // Those that have run are the first ones, each once: a block may wait for a lower one.
  const uint32_t ran = counts.how_many();
  EXPECT_GT(ran, 0u);
  EXPECT_LT(ran, kBlocks);
  for (uint32_t b = 0; b < ran; ++b) ASSERT_EQ(counts.runs[b], 1);
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(counts.how_many(), ran) << "blocks ran after the call had returned";
}

// However large the grid, a thread claims little before it knows how long a block takes. (The clock
// only ends the test where it does not.)
TEST(Pool, AsksSoonWhateverTheGrid) {
  WorkerPool pool(2);
  static std::atomic<uint64_t> ran;
  static const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  ran = 0;
  const abi::HostEntry entry = [](const void*, const abi::HostContext*, uint64_t first,
                                  uint64_t last) {
    for (; first < last; ++first) {
      ++ran;
      if (std::chrono::steady_clock::now() > patience) return;
      nap(first);
    }
  };
  const std::function<bool()> ask = [] { return true; };
  Interrupt interrupt(ask);
  EXPECT_EQ(pool.run(std::make_shared<Job>(entry, nullptr, grid_of(UINT32_MAX), 0), &interrupt),
            "");
  EXPECT_LT(ran, 5000u);
}

TEST(Pool, AsksWhileItWaitsForOthersToo) {
  WorkerPool pool(2);
  static const std::thread::id launcher = std::this_thread::get_id();
  static std::atomic<bool> go_on{false};
  go_on = false;
  present = 0;
  Counts counts(2, [](uint64_t) {
    ++present;
    const bool launching = std::this_thread::get_id() == launcher;
    while (launching ? present < 2 : !go_on) std::this_thread::yield();
  });
  int questions = 0;
  const std::function<bool()> ask = [&] {
    go_on = ++questions == 3;
    return false;
  };
  Interrupt interrupt(ask);
  EXPECT_EQ(pool.run(counts.job(), &interrupt), "");
  EXPECT_EQ(questions, 3);
  EXPECT_TRUE(counts.all_once());
}

TEST(Pool, DoesNotAskForShortJobs) {
  const std::function<bool()> ask = []() -> bool { throw std::logic_error("asked"); };
  for (uint32_t blocks : {1u, 10u, 1000u}) {
    Counts counts(blocks);
    Interrupt interrupt(ask);
    EXPECT_EQ(pool().run(counts.job(), &interrupt), "");
    EXPECT_TRUE(counts.all_once());
  }
}

// --- stand-ins ---

// A task that rests until the flag is set, as a launch that stands still does.
struct Resting {
  Resting(WorkerPool& pool, std::atomic<bool>& flag, Activity how = Activity::Waits) {
    pool.post([this, &pool, &flag, how] {
      {
        const ActivityScope scope(how);
        rests = true;
        while (!flag) {
          pool.stand_in();
          std::this_thread::sleep_for(milliseconds(1));
        }
      }
      ended = true;
    });
  }
  ~Resting() { wait(ended); }
  static bool wait(const std::atomic<bool>& flag) {
    for (int i = 0; i < 20000 && !flag; ++i) std::this_thread::sleep_for(milliseconds(1));
    return flag;
  }
  std::atomic<bool> rests{false}, ended{false};
};

TEST(StandIns, RunWhatIsQueuedWhileWorkersRest) {
  for (const int workers : {1, 2, 4})
    for (const auto how : {Activity::Waits, Activity::Polls}) {
      WorkerPool pool(workers);
      std::atomic<bool> flag{false};
      std::vector<std::unique_ptr<Resting>> resting;
      for (int i = 0; i < 3 * workers; ++i)
        resting.push_back(std::make_unique<Resting>(pool, flag, how));
      pool.post([&] { flag = true; });
      EXPECT_TRUE(Resting::wait(flag)) << workers;
      flag = true;
    }
}

TEST(StandIns, LeaveWhenWorkersDoNotRestAnyMore) {
  WorkerPool pool(1);
  {
    std::atomic<bool> flag{false};
    const Resting first(pool, flag), second(pool, flag), third(pool, flag);
    EXPECT_TRUE(Resting::wait(third.rests));
    flag = true;
  }
  std::atomic<int> at_once{0}, most{0}, left{20};
  std::atomic<bool> done{false};
  for (int i = left; i > 0; --i)
    pool.post([&] {
      most = std::max<int>(most, ++at_once);
      std::this_thread::sleep_for(milliseconds(2));
      --at_once;
      if (--left == 0) done = true;
    });
  EXPECT_TRUE(Resting::wait(done));
  EXPECT_EQ(most, 1);
}

TEST(StandIns, LeaveWhenThereIsNothingToDo) {
  std::atomic<int> there{0}, begun{0};
  WorkerPool pool(1, [&](std::function<void()> body) {
    return start_thread([&, body = std::move(body)] {
      ++begun;
      ++there;
      body();
      --there;
    });
  });
  std::atomic<bool> flag{false};
  {
    const Resting first(pool, flag), second(pool, flag), third(pool, flag);
    EXPECT_TRUE(Resting::wait(third.rests));
    flag = true;
  }
  EXPECT_GE(begun, 3);
  for (int i = 0; i < 20000 && there > 1; ++i) std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(there, 1);
}

TEST(StandIns, AreNotThereWhereThereAreNoThreads) {
  std::atomic<bool> flag{false};
  WorkerPool pool(1, at_most(1));
  const Resting resting(pool, flag);
  EXPECT_TRUE(Resting::wait(resting.rests));
  EXPECT_FALSE(pool.work_seen().going_on);
  pool.post([] {});
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(pool.work_seen().going_on) << "nobody will run it";
  flag = true;
}

TEST(StandIns, WorkIsSeenWhereATaskDoesNotRest) {
  WorkerPool pool(1);
  EXPECT_FALSE(pool.work_seen().going_on);
  std::atomic<bool> flag{false};
  {
    const Resting polls(pool, flag, Activity::Polls);
    EXPECT_TRUE(Resting::wait(polls.rests));
    EXPECT_TRUE(pool.work_seen().going_on);
    flag = true;
  }
  const uint64_t before = pool.work_seen().so_far;
  std::atomic<bool> done{false};
  pool.post([&] { done = true; });
  EXPECT_TRUE(Resting::wait(done));
  EXPECT_EQ(pool.work_seen().so_far, before + 1);
}

}  // namespace
}  // namespace cuda_device::runtime
