// Threads that wait: deadlocks are found and nothing else is taken for one; launches are given up.
#include <gtest/gtest.h>
#include <time.h>

#include <atomic>

#include "runtime/host/fibres/cycle.h"
#include "runtime/host/fibres/standing.h"
#include "support/fork.h"
#include "unit/in_child.h"
#include "unit/runtime/threads.h"

#if defined(__x86_64__)

namespace cuda_device::runtime {
namespace {

using abi::ThreadBarrier;
using abi::ThreadMeeting;
using Index = std::array<uint32_t, 3>;

constexpr uint32_t kAll = ~uint32_t{0};

void compute_for(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) continue;
}

// The thread sanitizer takes milliseconds to make a fibre.
#if defined(__SANITIZE_THREAD__)
constexpr double kLatest = 20.0;
constexpr int kManyStates = 100;
#else
constexpr double kLatest = 2.0;
constexpr int kManyStates = 1000;
#endif

void expect_deadlock(const Ran& ran, const std::vector<std::pair<uint32_t, uint64_t>>& sites) {
  EXPECT_EQ(ran.error, "");
  EXPECT_FALSE(ran.report.failed);
  ASSERT_TRUE(ran.report.deadlock);
  EXPECT_LT(ran.seconds.count(), kLatest);
  std::vector<std::pair<uint32_t, uint64_t>> found;
  for (const Deadlock::StandingThreads& place : ran.report.deadlock->places)
    found.emplace_back(place.site, place.threads);
  EXPECT_EQ(found, sites);
}

// --- deadlocks ---

TEST(Deadlocks, ThreadsAtABarrierAndOneThatSpins) {
  for (const int workers : {1, 3}) {
    WorkerPool pool(workers);
    std::atomic<int> never{0};
    const Ran ran = launch_of(1, 32).run(pool, [&](const TestThread& t) {
      t.thread() == 0 ? t.wait_for(never, 1, 15) : t.barrier(12);
    });
    expect_deadlock(ran, {{12, 31}, {15, 1}});
    EXPECT_EQ(ran.report.deadlock->places[0].thread, (Index{1, 0, 0}));
    EXPECT_EQ(ran.report.deadlock->not_started, 0u);
  }
}

TEST(Deadlocks, OfManyBlocksNameTheFirst) {
  for (const int workers : {1, 3}) {
    WorkerPool pool(workers);
    std::atomic<int> never{0};
    const Ran ran = launch_of(50, 40).run(pool, [&](const TestThread& t) {
      if (t.block() < 3) return;
      t.wait_for(never, 1, t.thread() < 8 ? 1 : 2);
    });
    expect_deadlock(ran, {{2, 47 * 32}, {1, 47 * 8}});
    for (const Deadlock::StandingThreads& place : ran.report.deadlock->places)
      EXPECT_EQ(place.block, (Index{3, 0, 0}));
  }
}

// No thread of the block can ever go on: that needs no waiting, whatever others do.
TEST(Deadlocks, OfBarriersAndMeetingsAreFoundAtOnce) {
  WorkerPool pool(2);
  std::atomic<int> computing{0};
  const Ran ran = launch_of(3, 64).run(pool, [&](const TestThread& t) {
    if (t.block() != 1) return;
    t.thread() < 32 ? t.barrier(1) : void(t.meet(ThreadMeeting::Sync, kAll, 0, 0, 2));
    if (t.thread() >= 32) t.meet(ThreadMeeting::Sync, t.thread() == 40 ? 0x100 : 0xffff, 0, 0, 3);
  });
  expect_deadlock(ran, {{1, 32}, {3, 16}});
  EXPECT_LT(ran.seconds.count(), 0.5);
  EXPECT_EQ(ran.report.deadlock->places[1].thread, (Index{48, 0, 0}));
}

TEST(Deadlocks, ThreadsOfDifferentMasksOrKinds) {
  WorkerPool pool(1);
  Ran ran = launch_of(1, 32).run(pool, [&](const TestThread& t) {
    t.meet(ThreadMeeting::Any, t.thread() == 9 ? 0xfff : kAll, 1, 0, t.thread() == 9);
  });
  expect_deadlock(ran, {{0, 31}, {1, 1}});
  ran = launch_of(1, 32).run(pool, [&](const TestThread& t) {
    t.meet(t.thread() == 9 ? ThreadMeeting::All : ThreadMeeting::Any, kAll, 1, 0, t.thread() == 9);
  });
  expect_deadlock(ran, {{0, 31}, {1, 1}});
}

TEST(Deadlocks, ThreadsAtBarriersOfDifferentKinds) {
  WorkerPool pool(1);
  const Ran ran = launch_of(2, 64).run(pool, [&](const TestThread& t) {
    if (t.block() == 0 || t.thread() % 2 == 0) return void(t.barrier(ThreadBarrier::Or, true, 1));
    t.barrier(ThreadBarrier::And, true, 2);
  });
  expect_deadlock(ran, {{1, 32}, {2, 32}});
  EXPECT_LT(ran.seconds.count(), 0.5);
}

TEST(Deadlocks, AThreadOutsideItsOwnMask) {
  WorkerPool pool(1);
  const Ran ran = launch_of(1, 32).run(pool, [&](const TestThread& t) {
    t.meet(ThreadMeeting::Ballot, kAll & ~8u, 1, 0, t.thread());
  });
  expect_deadlock(ran, {{3, 1}});
}

// Two workers, each with a block that waits for the other's.
// --- threads that meet while they wait ---

constexpr uint32_t kMeetHere = 7, kTurnHere = 8;
constexpr uint32_t kWithin = abi::kWithinTurns | kMeetHere;

// One look of a thread, and what comes of those that it meets: whether any still waits.
using Meets = bool (*)(const TestThread& t, bool waits);
const std::pair<const char*, Meets> kMeets[] = {
    {"a vote", [](const TestThread& t,
                  bool waits) { return t.meet(ThreadMeeting::Any, kAll, waits, 0, kWithin) != 0; }},
    {"a vote of the block",
     [](const TestThread& t, bool waits) {
       return t.barrier(ThreadBarrier::Or, waits, kWithin) != 0;
     }},
    {"several",
     [](const TestThread& t, bool waits) {
       t.barrier(kWithin);
       const bool any = t.meet(ThreadMeeting::Any, kAll, waits, 0, kWithin) != 0;
       t.meet(ThreadMeeting::Sync, kAll, 0, 0, kWithin);
       return t.barrier(ThreadBarrier::Or, any, kWithin) != 0;
     }},
    {"the active lanes",
     [](const TestThread& t, bool waits) {
       t.meet(ThreadMeeting::ActiveMask, 0, 0, 0, kWithin);
       return waits;
     }},
    {"the active lanes of a half",
     [](const TestThread& t, bool waits) {
       if (t.thread() % 2 == 0) t.meet(ThreadMeeting::ActiveMask, 0, 0, 0, kWithin);
       return waits;
     }},
    {"a vote of some",
     [](const TestThread& t, bool waits) {
       if (t.thread() % 32 >= 16) return waits;
       return t.meet(ThreadMeeting::Any, 0xffff, waits, 0, kWithin) != 0;
     }},
};

void look_together(const TestThread& t, const std::atomic<int>& word, Meets meets) {
  for (;;) {
    const bool waits = word.load() == 0;
    const bool any = meets(t, waits);
    if (!any) return;
    t.turn(fibres::chained(waits, any), kTurnHere);
  }
}

TEST(Deadlocks, OfThreadsThatMeetAgainAndAgain) {
  for (const auto& [name, meets] : kMeets) {
    SCOPED_TRACE(name);
    WorkerPool pool(2);
    std::atomic<int> never{0};
    const Ran ran =
        launch_of(3, 40).run(pool, [&](const TestThread& t) { look_together(t, never, meets); });
    EXPECT_EQ(ran.error, "");
    ASSERT_TRUE(ran.report.deadlock);
    EXPECT_LT(ran.seconds.count(), kLatest);
    uint64_t threads = 0;
    for (const Deadlock::StandingThreads& place : ran.report.deadlock->places)
      threads += place.threads;
    EXPECT_EQ(threads, 120u);
  }
}

TEST(NoDeadlock, ThreadsThatMeetUntilALaterBlockComes) {
  for (const auto& [name, meets] : kMeets) {
    SCOPED_TRACE(name);
    for (const int workers : {1, 3}) {
      WorkerPool pool(workers);
      std::atomic<int> word{0}, ended{0};
      const Ran ran = launch_of(5, 40).run(pool, [&](const TestThread& t) {
        if (t.block() == 4 && t.thread() == 39) word = 1;
        look_together(t, word, meets);
        ++ended;
      });
      EXPECT_TRUE(ran.fine());
      EXPECT_EQ(ended, 200);
    }
  }
}

// What has been waited for is there; the rest of the iteration meets others as those before did.
TEST(NoDeadlock, ALongComputationBetweenTwoMeetings) {
  for (const int workers : {1, 2}) {
    WorkerPool pool(workers);
    std::atomic<int> word{0};
    const Ran ran = launch_of(2, 33).run(pool, [&](const TestThread& t) {
      if (t.block() == 1) {
        if (t.thread() != 0) return;
        compute_for(0.2);
        word = 1;
        return;
      }
      for (bool waits = true; waits;) {
        waits = word.load() == 0;
        waits = t.barrier(ThreadBarrier::Or, waits, kWithin) != 0;
        if (!waits && t.thread() == 0) compute_for(1.3);
        t.barrier(kWithin);
        t.turn(waits, kTurnHere);
      }
    });
    EXPECT_TRUE(ran.fine());
  }
}

// A loop around a wait: no turn is taken in all that it does then.
TEST(NoDeadlock, AnIterationOfManyMeetings) {
  WorkerPool pool(2);
  std::atomic<int> word{0};
  constexpr int kMany = kManyStates;
  const Ran ran = launch_of(2, 33).run(pool, [&](const TestThread& t) {
    if (t.block() == 1) {
      if (t.thread() == 0) compute_for(0.1);
      word = 1;
      return;
    }
    look_together(t, word, kMeets[1].second);
    for (int i = 0; i < kMany; ++i) {
      if (t.thread() == 0) compute_for(1.5 / kMany);
      t.barrier(kWithin);
    }
  });
  EXPECT_TRUE(ran.fine());
}

TEST(Deadlocks, BetweenWorkers) {
  WorkerPool pool(2);
  std::atomic<int> there[2] = {{0}, {0}};
  const Ran ran = launch_of(2, 32).run(pool, [&](const TestThread& t) {
    t.wait_for(there[1 - t.block()], 1, t.block());
    there[t.block()] = 1;
  });
  expect_deadlock(ran, {{0, 32}, {1, 32}});
}

// As of a thread that looks at so many flags in turn.
TEST(Deadlocks, OfThreadsThatComeBackToTheSameStates) {
  for (const uint64_t states : {9, 20, kManyStates}) {
    WorkerPool pool(2);
    std::atomic<int> never{0};
    const Ran ran = launch_of(3, 2).run(pool, [&](const TestThread& t) {
      for (uint64_t looks = 0; looks < 100 + 7 * t.thread(); ++looks) t.turn(looks << 32);
      for (uint64_t i = 0; never == 0; i = (i + 1) % states) t.turn(i, 1);
    });
    if (states < 100) expect_deadlock(ran, {{1, 6}});
    EXPECT_TRUE(ran.report.deadlock) << "later, with many states, on a machine that is busy";
  }
}

// --- states that come back ---

using fibres::Cycle;

// The turn from which on states seem to come back.
template <class State>
uint64_t found_after(State state, uint64_t most, uint32_t shortest = 1) {
  Cycle cycle;
  for (uint64_t i = 0; i < most; ++i) {
    cycle.turn(state(i));
    if (cycle.goes_round() && cycle.length() >= shortest) return i;
  }
  return most;
}

TEST(Cycle, IsFoundWhereverItBegins) {
  for (const uint64_t length : {1, 2, 3, 9, 64, 1000, 4096})
    for (const uint64_t before : {0, 1, 100, 5000}) {
      const auto state = [&](uint64_t i) { return 1 + (i < before ? i : before + i % length); };
      const uint64_t most = before == 0 ? 4 * length : before + 4 * Cycle::kLongest;
      EXPECT_LT(found_after(state, 40000), most) << length << " " << before;
    }
}

// As of a loop around others: between its own states come theirs, which are the same each time.
TEST(Cycle, IsFoundWhereStatesComeSeveralTimesInIt) {
  for (const uint64_t step : {2, 3, 4, 8, 9, 10, 16})
    for (const uint64_t steps : {5, 8, 100, 250})
      for (const bool alike : {false, true}) {
        const auto state = [&](uint64_t i) {
          const uint64_t at = i % (step * steps);
          if (at % step == 0) return 1 + at;
          return alike ? 100'000 : 100'000 + at % step;
        };
        EXPECT_LT(found_after(state, 40000, 9), 40000u) << step << " " << steps << " " << alike;
      }
}

TEST(Cycle, GoesOnUntilALapIsAnotherOne) {
  Cycle cycle;
  uint64_t i = 0;
  const auto turn = [&](uint64_t state) {
    ++i;
    cycle.turn(state);
    return cycle.goes_round();
  };
  while (!turn(1 + i % 10)) {
  }
  EXPECT_EQ(cycle.length(), 10u);
  for (const uint64_t end = i + 995; i < end;) EXPECT_TRUE(turn(1 + i % 10));
  turn(1000);  // in the place of one of them
  int turns = 0;
  while (turn(1 + i % 10)) ++turns;
  EXPECT_LE(turns, 10);
}

TEST(Cycle, IsNoneWhereEachStateIsNew) {
  const auto counts = [](uint64_t i) { return 1 + i; };
  EXPECT_EQ(found_after(counts, 100000), 100000u);
  const auto too_long = [](uint64_t i) { return 1 + i % 5000; };
  EXPECT_EQ(found_after(too_long, 100000), 100000u);
}

TEST(Cycle, IsNoneWhereOneStateOfEachLapIsNew) {
  for (const uint64_t length : {2, 9, 10, 11, 64, 1000}) {
    const auto state = [&](uint64_t i) { return i % length == 0 ? 10'000 + i : i % length; };
    EXPECT_EQ(found_after(state, 100000, 2), 100000u) << length;
  }
}

TEST(Cycle, IsNoneWhereTheSameStatesComeInAnotherOrder) {
  const auto state = [](uint64_t i) {
    const uint64_t lap = i / 20, at = i % 20;
    if (at < 10) return 1 + at;
    return 1 + 10 + (at + lap * lap) % 10;
  };
  EXPECT_EQ(found_after(state, 95, 9), 95u);
}

TEST(Deadlocks, ThePoolGoesOn) {
  WorkerPool pool(2);
  const Ran ran = launch_of(2, 64).run(
      pool, [&](const TestThread& t) { t.thread() ? t.barrier() : t.turn(0); });
  EXPECT_TRUE(ran.fine());
  std::atomic<int> never{0}, count{0};
  expect_deadlock(launch_of(2, 64).run(pool, [&](const TestThread& t) { t.wait_for(never, 1); }),
                  {{0, 128}});
  EXPECT_TRUE(launch_of(100, 64).run(pool, [&](const TestThread&) { ++count; }).fine());
  EXPECT_EQ(count, 6400);
}

// --- no deadlocks ---

TEST(NoDeadlock, AWaitThatCountsToAMillion) {
  WorkerPool pool(2);
  std::atomic<int> never{0};
  const Ran ran = launch_of(2, 1).run(pool, [&](const TestThread& t) {
    for (uint64_t waited = 0; never == 0 && waited < 1000000; ++waited) t.turn(waited);
  });
  EXPECT_TRUE(ran.fine());
}

// More than are looked for.
TEST(NoDeadlock, StatesThatTakeLongToComeBack) {
  WorkerPool pool(1);
  std::atomic<int> flag{0};
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1600));
    flag = 1;
  });
  const Ran ran = launch_of(1, 2).run(pool, [&](const TestThread& t) {
    for (uint64_t i = 0; flag == 0; i = (i + 1) % 10000) t.turn(i);
  });
  other.join();
  EXPECT_TRUE(ran.fine());
}

// A loop that counts, around waits that find the same each time.
TEST(NoDeadlock, ANewStateAmongManyThatComeBack) {
  WorkerPool pool(1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2500);
  const Ran ran = launch_of(1, 2).run(pool, [&](const TestThread& t) {
    for (uint64_t i = 0; std::chrono::steady_clock::now() < end; ++i) {
      t.turn(i);
      for (uint32_t site = 1; site <= 20; ++site) t.turn(0, site);
    }
  });
  EXPECT_TRUE(ran.fine());
}

// A word that one thread of many polls, late in its round: each look at its block is a whole round.
TEST(NoDeadlock, AFlagAmongManyThatAreLookedAtInTurn) {
  for (const int workers : {1, 2}) {
    WorkerPool pool(workers);
    std::vector<std::atomic<int>> flags(500);
    const Ran ran = launch_of(2, 2).run(pool, [&](const TestThread& t) {
      if (t.block() == 1) {
        t.turn(1);
        compute_for(1.2);
        for (size_t i = flags.size(); i-- > 0;) {
          flags[i] = 1;
          t.turn(2 + i);
        }
        return;
      }
      for (size_t seen = 0, i = 0; seen < flags.size(); i = (i + 1) % flags.size()) {
        if (flags[i] == 1) {
          ++seen;
          flags[i] = 2;
        }
        t.turn(i * 1000 + seen);
        if (t.thread() == 1) return;
      }
    });
    EXPECT_TRUE(ran.fine());
  }
}

// Loops around compare-and-swap come back to the same states while others are first; each ends
// once.
TEST(NoDeadlock, ThreadsThatComeOneByOneToWhereTheyMeet) {
  for (const bool at_barrier : {true, false}) {
    WorkerPool pool(2);
    const Ran ran = launch_of(2, 32).run(pool, [&](const TestThread& t) {
      for (uint32_t k = 0; k < t.thread(); ++k) {
        if (t.thread() == 31) compute_for(0.05);
        t.turn(k % 2);
      }
      at_barrier ? t.barrier(1) : void(t.meet(ThreadMeeting::Sync, kAll));
    });
    EXPECT_EQ(ran.error, "");
    EXPECT_FALSE(ran.report.deadlock);
  }
}

// A worker inside of a thread is at work, even if it stood still before, and others do.
TEST(NoDeadlock, ALongComputationThatOthersWaitFor) {
  for (const int workers : {1, 2}) {
    WorkerPool pool(workers);
    std::atomic<int> flag{0}, done{0};
    const Ran ran = launch_of(4, 32).run(pool, [&](const TestThread& t) {
      if (t.block() == 3 && t.thread() == 0) {
        t.turn(1);
        t.turn(1);
        compute_for(1.6);
        flag = 1;
      }
      t.wait_for(flag, 1);
      ++done;
    });
    EXPECT_TRUE(ran.fine());
    EXPECT_EQ(done, 128);
  }
}

// The same between two turns that look alike: a thread has read what another one changes then, and
// its worker gets no time for long.
TEST(NoDeadlock, AThreadThatIsSlowToSeeWhatOthersWaitFor) {
  WorkerPool pool(2);
  std::atomic<int> ready{0}, ask{0}, answer{0};
  const Ran ran = launch_of(2, 1).run(pool, [&](const TestThread& t) {
    if (t.block() == 0) {
      t.wait_for(ready, 1);
      ask = 1;
      t.wait_for(answer, 1);
    } else {
      for (int looks = 0;; ++looks) {
        const int seen = ask;
        if (looks == 10) {
          ready = 1;
          std::this_thread::sleep_for(std::chrono::milliseconds(1500));
        }
        if (seen) break;
        t.turn(0);
      }
      answer = 1;
    }
  });
  EXPECT_TRUE(ran.fine());
}

// --- when all stand still ---

using fibres::Standing;

TEST(Standing, IsTheTimeFromTheEndOfTheFirstLookToTheBeginningOfTheLast) {
  Standing all;
  EXPECT_EQ(all.how_long(), 0);
  Standing::Worker worker(all);
  EXPECT_EQ(all.how_long(), 0);
  worker.stood_still(10, 20);
  EXPECT_EQ(all.how_long(), 0);
  worker.stood_still(100, 5000);
  EXPECT_EQ(all.how_long(), 80);
  worker.advanced();
  EXPECT_EQ(all.how_long(), 0);
  worker.stood_still(6000, 6010);
  worker.stood_still(6050, 6060);
  EXPECT_EQ(all.how_long(), 40);
}

TEST(Standing, IsTheTimeThatAllWorkersHaveInCommon) {
  Standing all;
  Standing::Worker first(all);
  EXPECT_TRUE(all.alone());
  for (const int64_t at : {10, 1000}) first.stood_still(at, at + 1);
  {
    Standing::Worker second(all);
    EXPECT_FALSE(all.alone());
    EXPECT_EQ(all.how_long(), 0) << "it has not looked yet";
    second.stood_still(200, 201);
    EXPECT_EQ(all.how_long(), 0);
    second.stood_still(300, 9000);  // all that time it was in a thread
    EXPECT_EQ(all.how_long(), 99);
    first.stood_still(9001, 9002);
    EXPECT_EQ(all.how_long(), 99);
    second.stood_still(9003, 9004);
    EXPECT_EQ(all.how_long(), 8800);
    first.advanced();
    EXPECT_EQ(all.how_long(), 0);
    first.stood_still(9100, 9101);
    first.stood_still(9200, 9201);
    EXPECT_EQ(all.how_long(), 0) << "the second has not looked since";
  }
  EXPECT_EQ(all.how_long(), 99) << "who has left is not waited for";
}

// --- giving up ---

double cpu_seconds() { return static_cast<double>(clock()) / CLOCKS_PER_SEC; }

// A question whose answer is yes after that time.
struct Asked {
  explicit Asked(double seconds) {
    watch = std::thread([this, seconds] {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
      cpu_before = cpu_seconds();
      yes = true;
    });
  }
  ~Asked() { watch.join(); }
  // How much the process has computed since: on a machine that is busy with other things that may
  // take any time.
  double computed_since() const { return cpu_seconds() - cpu_before; }

  double cpu_before = 0;
  std::atomic<bool> yes{false};
  const std::function<bool()> ask = [this] { return yes.load(); };
  Interrupt interrupt{ask};
  std::thread watch;
};

// Each worker is asked every 50 ms of its own time.
double soon(int workers) { return 0.05 + 0.1 * workers; }

// The thread sanitizer keeps signals back.
#if !defined(__SANITIZE_THREAD__)

TEST(GivingUp, InAComputation) {
  for (const int workers : {1, 3}) {
    WorkerPool pool(workers);
    ThreadLaunch launch = launch_of(8, 64);
    Asked asked(0.2);
    launch.interrupt = &asked.interrupt;
    volatile bool for_ever = true;
    const Ran ran = launch.run(pool, [&](const TestThread&) {
      while (for_ever) continue;
    });
    EXPECT_LT(asked.computed_since(), soon(workers + 1));
    EXPECT_TRUE(asked.interrupt.happened());
    EXPECT_TRUE(ran.fine());
    std::atomic<int> count{0};
    EXPECT_TRUE(launch_of(8, 64)
                    .run(pool,
                         [&](const TestThread& t) {
                           t.barrier();
                           ++count;
                         })
                    .fine());
    EXPECT_EQ(count, 512);
  }
}

// The answer no: the thread goes on where it was, its registers too.
TEST(GivingUp, AQuestionLeavesNoTrace) {
  WorkerPool pool(1);
  ThreadLaunch launch = launch_of(2, 32);
  int questions = 0;
  const std::function<bool()> ask = [&] {
    ++questions;
    volatile double used[64];
    for (volatile double& one : used) one = questions;
    return false;
  };
  Interrupt interrupt(ask);
  launch.interrupt = &interrupt;
  std::atomic<int> wrong{0};
  const Ran ran = launch.run(pool, [&](const TestThread& t) {
    uint64_t x = t.thread(), steps = 0;
    double y = 1;
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (std::chrono::steady_clock::now() < end)
      for (int i = 0; i < 1000; ++i, ++steps) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        y = y * 0.5 + 1;
      }
    uint64_t again = t.thread();
    double y_again = 1;
    for (uint64_t i = 0; i < steps; ++i) {
      again = again * 6364136223846793005u + 1442695040888963407u;
      y_again = y_again * 0.5 + 1;
    }
    wrong += x != again || y != y_again;
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(questions, 3);
}

#endif

// Launches that wait are asked by no timer: they use no CPU time.
TEST(GivingUp, WhereAllThreadsWait) {
  for (const int workers : {1, 3}) {
    WorkerPool pool(workers);
    ThreadLaunch launch = launch_of(8, 64);
    Asked asked(0.4);
    launch.interrupt = &asked.interrupt;
    std::atomic<int> never{0};
    const Ran ran = launch.run(pool, [&](const TestThread& t) { t.wait_for(never, 1); });
    EXPECT_LT(asked.computed_since(), soon(workers + 1));
    EXPECT_TRUE(ran.fine()) << "given up, and no deadlock";
  }
}

TEST(GivingUp, WhereThreadsTakeTurnsForEver) {
  for (const int workers : {1, 3}) {
    WorkerPool pool(workers);
    ThreadLaunch launch = launch_of(8, 64);
    Asked asked(0.3);
    launch.interrupt = &asked.interrupt;
    std::atomic<int> never{0};
    const Ran ran = launch.run(pool, [&](const TestThread& t) {
      for (uint64_t i = 0; never == 0; ++i)
        t.thread() < 32 ? t.turn(i) : void(t.meet(ThreadMeeting::Any, kAll));
    });
    EXPECT_LT(asked.computed_since(), soon(workers + 1));
    EXPECT_TRUE(ran.fine());
  }
}

// A question that launches is answered, and the launch that asked goes on.
TEST(GivingUp, AQuestionMayLaunch) {
  WorkerPool pool(2);
  ThreadLaunch launch = launch_of(2, 32);
  std::atomic<int> inner{0};
  int questions = 0;
  const std::function<bool()> ask = [&] {
    ThreadLaunch nested = launch_of(2, 32);
    const std::function<bool()> no = [] { return false; };
    Interrupt never(no);
    nested.interrupt = &never;
    nested.run(pool, [&](const TestThread& t) {
      t.barrier();
      ++inner;
    });
    return ++questions == 4;
  };
  Interrupt interrupt(ask);
  launch.interrupt = &interrupt;
  std::atomic<int> never{0};
  const Ran ran = launch.run(pool, [&](const TestThread& t) {
    if (t.thread() == 0) compute_for(0.12);
    t.wait_for(never, 1);
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(questions, 4);
  EXPECT_EQ(inner, 4 * 64);
}

// While everything stands still, the workers sleep nearly always.
// Two workers that look all the time take 1.8 s.
#if defined(__SANITIZE_THREAD__)
constexpr double kLittle = 0.9;  // each look is many times as long
#else
constexpr double kLittle = 0.3;
#endif

TEST(GivingUp, WaitingTakesLittleTimeOfTheCpu) {
  WorkerPool pool(2);
  ThreadLaunch launch = launch_of(2, 32);
  Asked asked(0.9);
  launch.interrupt = &asked.interrupt;
  std::atomic<int> never{0};
  const double before = cpu_seconds();
  launch.run(pool, [&](const TestThread& t) { t.wait_for(never, 1); });
  EXPECT_LT(cpu_seconds() - before, kLittle);
}

TEST(GivingUp, AForkInTheQuestionEndsTheLaunchInTheChild) {
  if (!kForksWork) GTEST_SKIP() << "waits for a build without sanitizers";
  for (const bool computes : {true, false}) {
    WorkerPool pool(2);
    ThreadLaunch launch = launch_of(8, 64);
    pid_t child = -1;
    int questions = 0, status = 0;
    const std::function<bool()> ask = [&] {
      if (++questions == 1) child = fork();
      if (child == 0) alarm(20);
      return child != 0 && questions > 2;
    };
    Interrupt interrupt(ask);
    launch.interrupt = &interrupt;
    volatile bool for_ever = true;
    std::atomic<int> never{0};
    const Ran ran = launch.run(pool, [&](const TestThread& t) {
      while (computes && for_ever) continue;
      t.wait_for(never, 1);
    });
    if (child == 0) {
      WorkerPool own(2);
      std::atomic<int> count{0};
      const bool fine = launch_of(8, 64)
                            .run(own,
                                 [&](const TestThread& t) {
                                   t.barrier();
                                   ++count;
                                 })
                            .fine();
      _exit(ran.error == kForkedMeanwhile && fine && count == 512 ? 0 : 1);
    }
    EXPECT_TRUE(ran.fine());
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
}

}  // namespace
}  // namespace cuda_device::runtime

#endif
