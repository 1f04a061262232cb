// What threads say while they run: the first failure wins and stops the launch; messages are whole.
#include "runtime/host/report.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "runtime/host/pool.h"
#include "unit/in_child.h"
#include "unit/runtime/blocks.h"

namespace cuda_device::runtime {
namespace {

const std::vector<PrintFormatter>& formats() {
  static const std::vector<PrintFormatter> all = {
      PrintFormatter({"{} {}\n", {ScalarKind::I32, ScalarKind::Bool}})};
  return all;
}

TEST(Report, KeepsTheFirstFailure) {
  Report report(formats());
  EXPECT_FALSE(report.failed());
  report.fail({3, {1, 2, 3}, {4, 5, 6}});
  report.fail({4, {}, {}});
  EXPECT_TRUE(report.failed());
  const LaunchReport said = report.take();
  ASSERT_TRUE(said.failed);
  EXPECT_EQ(said.failed->failure, 3u);
  EXPECT_EQ(said.failed->block, (std::array<uint32_t, 3>{1, 2, 3}));
  EXPECT_EQ(said.failed->thread, (std::array<uint32_t, 3>{4, 5, 6}));
}

TEST(Report, KeepsTheValuesOfTheFirstFailure) {
  Report report(formats());
  abi::HostContext context;
  context.report = &report;
  const uint32_t place[] = {1, 2, 3, 4, 5, 6};
  std::vector<int64_t> values(kMostPrinted + 1, 7);
  values[0] = -1;
  cd_kernel_failed(&context, 3, place, kMostPrinted + 1, values.data());
  cd_kernel_failed(&context, 4, place, 0, nullptr);
  const LaunchReport said = report.take();
  ASSERT_TRUE(said.failed);
  EXPECT_EQ(said.failed->failure, 3u);
  EXPECT_EQ(said.failed->values.front(), -1);
  EXPECT_EQ(said.failed->values.back(), 7);
}

TEST(Report, PrintsTheLanesOfTheMaskInOrder) {
  Report report(formats());
  const int64_t values[] = {10, -11, 12, 13, 1, 0, 1, 0};
  report.print(0, 4, 0b1011, values);
  report.print(0, 4, 0, values);
  report.print(0, 4, 0b0100, values);
  EXPECT_EQ(report.take().printed.take(), "10 True\n-11 False\n13 False\n12 True\n");
}

TEST(Report, OfManyThreadsTextsAreWhole) {
  Report report(formats());
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 4; ++t)
    threads.emplace_back([&report, t] {
      const int64_t values[] = {t, t, 1, 0};
      for (int i = 0; i < 500; ++i) report.print(0, 2, 0b11, values);
    });
  for (std::thread& t : threads) t.join();
  std::string text = report.take().printed.take();
  for (int line = 0; line < 4000; ++line) {
    const std::string one = text.substr(0, text.find('\n'));
    EXPECT_TRUE(one == std::string(1, one[0]) + (line % 2 ? " False" : " True")) << one;
    text.erase(0, one.size() + 1);
  }
  EXPECT_EQ(text, "");
}

TEST(Report, WhatFindsNoRoomIsCountedAndNotRead) {
  Report report(formats());
  const int64_t values[] = {10, 1};
  const uint64_t fit = PrintedText::kMostBytes / 8;  // "10 True\n"
  for (uint64_t i = 0; i < fit + 1; ++i) report.print(0, 1, 0b1, values);
  report.print(0, 4, 0b1011, nullptr);
  const std::string text = report.take().printed.take();
  const std::string end =
      "10 True\n... output dropped: that of 4 prints; a launch keeps the first MiB\n";
  ASSERT_EQ(text.size(), fit * 8 + end.size() - 8);
  EXPECT_EQ(text.substr(text.size() - end.size()), end);
}

TEST(Report, BlocksThatNobodyHasClaimedAreLeftOut) {
  for (const int threads : {1, 2, 5}) {
    struct Failing {
      Counts counts{100000};
      Report report{formats()};
      Failing* self = this;
    } failing;
    const abi::HostEntry entry = [](const void* params, const abi::HostContext* context,
                                    uint64_t first, uint64_t last) {
      Failing& f = **static_cast<Failing* const*>(params);
      for (uint64_t b = first; b < last; ++b) {
        ++f.counts.runs[b];
        const uint32_t place[] = {static_cast<uint32_t>(b), 0, 0, 0, 0, 0};
        if (b == 40) return cd_kernel_failed(context, 7, place, 0, nullptr);
        // The thread that has this block may be slow.
        for (int ms = 0; b > 40 && !f.report.failed() && ms < 10000; ++ms)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    };
    auto job = std::make_shared<Job>(entry, &failing.self, grid_of(100000), 0);
    job->report_to(failing.report);
    job->prepare(16, false);
    WorkerPool pool(threads);
    EXPECT_EQ(pool.run(job), "");
    const LaunchReport said = failing.report.take();
    ASSERT_TRUE(said.failed);
    EXPECT_EQ(said.failed->block[0], 40u);
    EXPECT_LT(failing.counts.how_many(), 100000u);
    EXPECT_EQ(failing.counts.runs[99999], 0);
  }
}

TEST(Printed, WaitsForWhoeverWritesIt) {
  EXPECT_FALSE(anything_printed());
  add_printed("");
  EXPECT_FALSE(anything_printed());
  add_printed("one\n");
  add_printed("two\n");
  EXPECT_TRUE(anything_printed());
  EXPECT_EQ(take_printed(), "one\ntwo\n");
  EXPECT_FALSE(anything_printed());
  EXPECT_EQ(take_printed(), "");
}

TEST(Printed, GrowsNoFurtherThanItMay) {
  const std::string much(1 << 20, 'x');
  for (int i = 0; i < 70; ++i) add_printed(much);
  const std::string text = take_printed();
  EXPECT_LT(text.size(), size_t{66} << 20);
  EXPECT_TRUE(
      text.ends_with("x... output dropped: the launches that printed it were not waited for\n"));
  add_printed("again");
  EXPECT_EQ(take_printed(), "again");
}

TEST(Printed, IsTheParents) {
  add_printed("of the parent\n");
  EXPECT_EQ(in_child([] {
              const bool empty = !anything_printed() && take_printed().empty();
              add_printed("of the child\n");
              return empty && take_printed() == "of the child\n" ? 0 : 1;
            }),
            0);
  EXPECT_EQ(take_printed(), "of the parent\n");
}

}  // namespace
}  // namespace cuda_device::runtime
