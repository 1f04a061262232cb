// Stacks: what they hold, where they end, and what is kept of them.
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <atomic>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

#include "runtime/host/fibres/stacks.h"
#include "runtime/memory/pages.h"
#include "unit/in_child.h"
#include "unit/runtime/threads.h"

#if defined(__x86_64__)

namespace cuda_device::runtime {
namespace {

using fibres::Stacks;

[[maybe_unused]] bool long_tests() { return std::getenv("CUDA_DEVICE_LONG_TESTS") != nullptr; }

// Of this process, in bytes.
[[maybe_unused]] uint64_t resident() {
  uint64_t all = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> all >> pages;
  return pages * 4096;
}

// The sanitizers keep freed memory, and shadows of all.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
[[maybe_unused]] constexpr uint64_t kGrowth = 64 << 20;
#else
constexpr uint64_t kGrowth = 1 << 20;
#endif

[[maybe_unused]] uint64_t mappings() {
  std::ifstream file("/proc/self/maps");
  uint64_t count = 0;
  for (std::string line; std::getline(file, line);) ++count;
  return count;
}

TEST(Stacks, AreApartAndHoldWhatTheyAreFor) {
  for (const size_t frame : {size_t{100}, size_t{5000}, size_t{100000}}) {
    const Stacks stacks = Stacks::take({37, frame, 5000});
    ASSERT_TRUE(stacks);
    std::memset(stacks.arrays(), 1, 5000);
    const char* below = stacks.arrays() + 5000;
    for (uint32_t i = 0; i < 37; ++i) {
      EXPECT_GE(stacks.bottom(i), below);
      EXPECT_GE(static_cast<size_t>(stacks.top(i) - stacks.bottom(i)), frame + (32 << 10));
      EXPECT_EQ(reinterpret_cast<uintptr_t>(stacks.top(i)) % 64, 0u);
      std::memset(stacks.bottom(i), 2, static_cast<size_t>(stacks.top(i) - stacks.bottom(i)));
      below = stacks.top(i);
    }
  }
}

TEST(Stacks, TopsLieAtManyLinesOfTheirPages) {
  const Stacks stacks = Stacks::take({64, 100, 0});
  std::set<uintptr_t> lines;
  for (uint32_t i = 0; i < 64; ++i) lines.insert(reinterpret_cast<uintptr_t>(stacks.top(i)) % 4096);
  EXPECT_EQ(lines.size(), 16u);
}

TEST(Stacks, AreUsedAgainForTheSameShape) {
  const Stacks::Shape shape{48, 777, 99};
  const char* const first = Stacks::take(shape).arrays();
  const size_t kept = fibres::kept_bytes();
  EXPECT_GT(kept, 0u);
  {
    const Stacks again = Stacks::take(shape);
    EXPECT_EQ(again.arrays(), first);
    EXPECT_LT(fibres::kept_bytes(), kept);
    EXPECT_NE(Stacks::take(shape).arrays(), first);
  }
  EXPECT_LE(fibres::kept_bytes(), total_bytes() / 64);
}

TEST(Stacks, ThereAreNoneWithoutMemory) {
  EXPECT_FALSE(Stacks::take({1024, size_t{1} << 46, 0}));
  EXPECT_TRUE(Stacks::take({1024, 100, 0}));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(Stacks, BelowThemIsAPageThatNobodyMayTouch) {
  for (const uint32_t stack : {0, 127, 128, 299}) {
    EXPECT_EQ(in_child([&] {
                signal(SIGSEGV, SIG_DFL);
                const Stacks stacks = Stacks::take({300, 1000, 0});
                for (uint32_t i = 0; i < 300; ++i)
                  *static_cast<volatile char*>(stacks.bottom(i)) = 1;
                *static_cast<volatile char*>(stacks.bottom(stack) - 1) = 1;
                return 0;
              }),
              -SIGSEGV)
        << stack;
  }
}
#endif

// The last byte of a frame that the image says its code has, and a call below it.
TEST(Stacks, AThreadHasTheStackItsImageAsksFor) {
  WorkerPool pool(2);
  constexpr size_t kFrame = 200000;
  std::atomic<uint64_t> sum{0};
  ThreadLaunch launch = launch_of(4, 64);
  launch.stack = kFrame + 1000;
  const Ran ran = launch.run(pool, [&](const TestThread& t) {
    volatile char frame[kFrame];
    for (size_t i = 0; i < kFrame; i += 1000) frame[i] = static_cast<char>(t.thread());
    t.barrier();
    for (size_t i = 0; i < kFrame; i += 1000) sum += frame[i] == static_cast<char>(t.thread());
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_EQ(sum, 4u * 64 * (kFrame / 1000));
}

#if !defined(__SANITIZE_THREAD__)  // it keeps memory for every fibre that there was
// Blocks one after the other, each in the memory of the one before.
TEST(FibresMemory, DoesNotGrowWithBlocks) {
  WorkerPool pool(2);
  const auto launch = [&](uint32_t blocks) {
    EXPECT_TRUE(launch_of(blocks, 64).run(pool, [](const TestThread& t) { t.barrier(); }).fine());
  };
  launch(1000);
  const uint64_t before = resident();
  launch(long_tests() ? 1000000 : 10000);
  EXPECT_LT(resident(), before + kGrowth);
}

TEST(FibresMemory, DoesNotGrowWithLaunches) {
  WorkerPool pool(2);
  const auto launches = [&](int count) {
    for (int i = 0; i < count; ++i)
      EXPECT_TRUE(launch_of(4, 64).run(pool, [](const TestThread& t) { t.barrier(); }).fine());
  };
  launches(100);
  const uint64_t before = resident(), mapped = mappings();
  launches(long_tests() ? 100000 : 2000);
  EXPECT_LT(resident(), before + kGrowth);
  EXPECT_LE(mappings(), mapped + 8);
}

#endif

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// A hundred thousand threads at once.
TEST(FibresMemory, AHundredBlocksOfTheLargestSizeAreStartedTogether) {
  WorkerPool pool(2);
  const uint64_t mapped = mappings();
  std::atomic<uint32_t> arrived{0};
  std::atomic<bool> measured{false};
  std::atomic<uint64_t> most_mapped{0}, most_resident{0};
  const Ran ran = launch_of(100, 1024).run(pool, [&](const TestThread& t) {
    t.barrier();
    if (t.thread() == 0) {
      ++arrived;
      t.wait_for(arrived, 100u);
      if (!measured.exchange(true)) {
        most_mapped = mappings();
        most_resident = resident();
      }
    }
    t.barrier();
  });
  EXPECT_TRUE(ran.fine());
  EXPECT_LT(most_mapped, 40000u);
  EXPECT_GT(most_resident, uint64_t{100} * 1024 * 4096);
  EXPECT_LT(most_resident, uint64_t{100} * 1024 * 4096 * 2);
  EXPECT_LT(mappings(), mapped + 20000);
  EXPECT_LT(resident(), uint64_t{1} << 30) << "most of it was given back";
}
#endif

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Blocks of four GiB each, of which nothing is touched, that wait for all others.
TEST(FibresMemory, BlocksThatWaitForMoreThanThereIsMemoryForAreADeadlock) {
  WorkerPool pool(2);
  ThreadLaunch launch = launch_of(1000, 1);
  launch.arrays = ~uint32_t{0} - 4096;
  std::atomic<uint32_t> arrived{0};
  const Ran ran = launch.run(pool, [&](const TestThread& t) {
    ++arrived;
    t.wait_for(arrived, 1000u);
  });
  EXPECT_EQ(ran.error, "");
  ASSERT_TRUE(ran.report.deadlock);
  EXPECT_LT(ran.seconds.count(), 2.0);
  EXPECT_GE(arrived, 1u);
  EXPECT_LE(arrived, std::max<uint64_t>(2, total_bytes() / 4 / launch.arrays));
  EXPECT_EQ(ran.report.deadlock->not_started, 1000 - arrived);
  ASSERT_EQ(ran.report.deadlock->places.size(), 1u);
  EXPECT_EQ(ran.report.deadlock->places[0].threads, arrived);
}
#endif

TEST(FibresMemory, WithoutMemoryForABlockTheLaunchFails) {
  if (!kForksWork) GTEST_SKIP() << "waits for a build without sanitizers";
  WorkerPool pool(2);
  ThreadLaunch launch = launch_of(10, 1024);
  launch.stack = ~uint32_t{0} - (1 << 20);
  launch.arrays = 1 << 20;
  EXPECT_EQ(
      in_child([&] {
        const rlimit limit{uint64_t{1} << 32, uint64_t{1} << 32};
        if (setrlimit(RLIMIT_AS, &limit)) return 2;
        WorkerPool own(2);
        const Ran ran = launch.run(own, [](const TestThread&) {});
        if (!ran.error.starts_with("out of memory: a block needs stacks for 1024 threads"))
          return 3;
        return launch_of(10, 64).run(own, [](const TestThread& t) { t.barrier(); }).fine() ? 0 : 4;
      }),
      0);
}

}  // namespace
}  // namespace cuda_device::runtime

#endif
