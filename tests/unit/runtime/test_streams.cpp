// Streams and events: order, waits, errors, turns. Random programs: test_stream_programs.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/host/device.h"
#include "runtime/host/pool.h"
#include "runtime/host/stream.h"

namespace cuda_device::runtime {
namespace {

TEST(HostStream, RunsInOrder) {
  auto stream = std::make_shared<HostStream>();
  std::vector<int> seen;
  for (int i = 0; i < 1000; ++i)
    stream->enqueue([&seen, i] {
      seen.push_back(i);
      return std::string();
    });
  ASSERT_TRUE(stream->wait(20000));
  ASSERT_EQ(seen.size(), 1000u);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(seen[static_cast<size_t>(i)], i);
}

TEST(HostStream, KeepsTheFirstErrorUntilAsked) {
  auto stream = std::make_shared<HostStream>();
  stream->enqueue([] { return std::string("first"); });
  stream->enqueue([] { return std::string("second"); });
  ASSERT_TRUE(stream->wait(20000));
  EXPECT_EQ(stream->take_error(), "first");
  EXPECT_EQ(stream->take_error(), "");
}

TEST(HostStream, RunNowWaitsForWhatIsQueued) {
  auto stream = std::make_shared<HostStream>();
  std::atomic<int> value{0};
  stream->enqueue([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    value = 1;
    return std::string();
  });
  int seen = -1;
  EXPECT_EQ(stream->run_now([&] {
    seen = value;
    return std::string("error of its own");
  }),
            "error of its own");
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(stream->take_error(), "");
}

TEST(HostStream, WaitTimesOut) {
  auto stream = std::make_shared<HostStream>();
  auto event = std::make_shared<EventState>();
  stream->wait_for(event);
  EXPECT_FALSE(stream->wait(10));
  event->complete();
  EXPECT_TRUE(stream->wait(20000));
}

// What is queued together is taken together, and still each wait is for what came before it alone.
TEST(HostStream, AWaitEndsAmidWhatWasTakenTogether) {
  auto stream = std::make_shared<HostStream>();
  std::atomic<bool> queued{false}, waited{false};
  std::atomic<int> done{0};
  const auto until = [](std::atomic<bool>& flag) {
    while (!flag) std::this_thread::yield();
  };
  stream->enqueue([&] { until(queued); });
  for (int i = 0; i < 3; ++i) stream->enqueue([&] { ++done; });
  const uint64_t mark = stream->mark();
  stream->enqueue([&] {
    until(waited);
    ++done;
  });
  queued = true;
  const bool in_time = stream->wait(20000, mark);
  EXPECT_EQ(done, 3);
  EXPECT_TRUE(stream->owes_work());
  waited = true;
  EXPECT_TRUE(in_time);
  ASSERT_TRUE(stream->wait(20000));
  EXPECT_EQ(done, 4);
  EXPECT_FALSE(stream->owes_work());
}

// --- errors ---

TEST(HostStream, AnExceptionIsAnError) {
  auto stream = std::make_shared<HostStream>();
  int after = 0;
  stream->enqueue([]() -> std::string { throw std::runtime_error("thrown"); });
  stream->enqueue([]() -> std::string { throw std::bad_alloc(); });
  stream->enqueue([&] {
    ++after;
    return std::string();
  });
  ASSERT_TRUE(stream->wait(20000));
  EXPECT_EQ(stream->take_error(), "thrown");
  EXPECT_EQ(after, 1);
}

TEST(HostStream, AnExceptionOfRunNowLeavesTheStreamFree) {
  auto stream = std::make_shared<HostStream>();
  EXPECT_THROW(stream->run_now([]() -> std::string { throw std::runtime_error("thrown"); }),
               std::runtime_error);
  EXPECT_TRUE(stream->idle());
  EXPECT_EQ(stream->run_now([] { return std::string("next"); }), "next");
  // The same where it had to wait for its turn, with more work after it.
  auto gate = std::make_shared<EventState>();
  stream->wait_for(gate);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stream->enqueue([] { return std::string("after"); });
    gate->complete();
  });
  EXPECT_THROW(stream->run_now([]() -> std::string { throw std::runtime_error("thrown"); }),
               std::runtime_error);
  later.join();
  ASSERT_TRUE(stream->wait(20000));
  EXPECT_EQ(stream->take_error(), "after");
}

// --- waiting threads ---

TEST(HostStream, RunNowRunsOnItsOwnThreadInTurn) {
  auto stream = std::make_shared<HostStream>();
  std::vector<int> order;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const auto me = std::this_thread::get_id();
        stream->run_now([&] {
          EXPECT_EQ(std::this_thread::get_id(), me);
          order.push_back(t);  // no lock: the stream is the lock
          return std::string();
        });
        stream->enqueue([&, t] {
          order.push_back(t);
          return std::string();
        });
      }
    });
  for (auto& t : threads) t.join();
  ASSERT_TRUE(stream->wait(20000));
  EXPECT_EQ(order.size(), 1600u);
}

TEST(HostStream, AnInterruptedWaitForATurnLeavesTheOperationOut) {
  auto stream = std::make_shared<HostStream>();
  auto gate = std::make_shared<EventState>();
  stream->wait_for(gate);
  const std::function<bool()> ask = [] { return true; };
  Interrupt interrupt(ask);
  bool ran = false;
  stream->run_now(
      [&] {
        ran = true;
        return std::string();
      },
      &interrupt);
  EXPECT_TRUE(interrupt.happened());
  EXPECT_FALSE(stream->idle());
  gate->complete();
  ASSERT_TRUE(stream->wait(20000));
  EXPECT_FALSE(ran);
  EXPECT_EQ(stream->run_now([] { return std::string("next"); }), "next");
}

// The stream becomes the thread's own just while it is told to give up.
TEST(HostStream, AnInterruptAndATurnAtOnce) {
  auto stream = std::make_shared<HostStream>();
  auto gate = std::make_shared<EventState>();
  stream->wait_for(gate);
  const std::function<bool()> ask = [&] {
    gate->complete();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return true;
  };
  Interrupt interrupt(ask);
  bool ran = false;
  stream->run_now(
      [&] {
        ran = true;
        return std::string();
      },
      &interrupt);
  EXPECT_FALSE(ran);
  EXPECT_TRUE(stream->wait(20000));
}

TEST(HostStream, AnOperationMayLaunchOnItsOwnStream) {
  auto stream = std::make_shared<HostStream>();
  std::string order;
  stream->run_now([&] {
    order += "outer(";
    stream->run_now([&] {
      order += "inner";
      return std::string();
    });
    stream->enqueue([&] {
      order += "queued";
      return std::string();
    });
    EXPECT_TRUE(stream->wait(0));  // there is nothing that could be waited for
    order += ")";
    return std::string();
  });
  ASSERT_TRUE(stream->wait(20000));
  EXPECT_EQ(order, "outer(inner)queued");
}

std::shared_ptr<HostStream> beside_default() {
  return std::static_pointer_cast<HostStream>(host_device().create_stream({false, false, 0}));
}
std::shared_ptr<HostStream> default_stream() {
  return std::static_pointer_cast<HostStream>(host_device().default_stream());
}

TEST(StreamsBesideTheDefaultOne, WaitForItAndItForThem) {
  const auto one = beside_default(), two = beside_default(), by_default = default_stream();
  const auto free = std::make_shared<HostStream>();
  EXPECT_FALSE(one->options().nonblocking);
  EXPECT_FALSE(by_default->options().nonblocking);
  EXPECT_TRUE(free->options().nonblocking);
  auto gate = std::make_shared<EventState>();
  std::mutex mutex;
  std::string seen;
  const auto adds = [&](char name) {
    return [&, name] {
      const std::lock_guard lock(mutex);
      seen += name;
    };
  };
  one->wait_for(gate);
  one->enqueue(adds('1'));
  two->enqueue(adds('2'));  // waits for no stream of its own kind
  ASSERT_TRUE(two->wait(20000));
  by_default->enqueue(adds('d'));
  two->enqueue(adds('3'));
  free->enqueue(adds('f'));
  ASSERT_TRUE(free->wait(20000));
  EXPECT_FALSE(by_default->wait(20));
  EXPECT_FALSE(two->wait(20));
  EXPECT_EQ(seen, "2f");
  gate->complete();
  ASSERT_TRUE(two->wait(20000));
  EXPECT_EQ(seen, "2f1d3");
}

TEST(StreamsBesideTheDefaultOne, AreWaitedForByWhatRunsAtOnce) {
  const auto one = beside_default(), by_default = default_stream();
  auto gate = std::make_shared<EventState>();
  std::atomic<int> seen{0};
  one->wait_for(gate);
  one->enqueue([&] { seen = 1; });
  std::thread opens([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    gate->complete();
  });
  EXPECT_EQ(by_default->run_now([&] { return std::to_string(seen.load()); }), "1");
  opens.join();
}

// A signal's handler may use any stream within a launch.
TEST(StreamsBesideTheDefaultOne, DoNotWaitForTheOperationThatUsesThem) {
  const auto one = beside_default(), by_default = default_stream();
  bool done = false;
  by_default->run_now([&] {
    one->enqueue([&] { done = true; });
    EXPECT_TRUE(one->wait(20000));
    by_default->run_now([] { return std::string(); });
    return std::string();
  });
  EXPECT_TRUE(done);
}

// Work of several threads, by turns on either side: what a thread saw done stays done.
TEST(StreamsBesideTheDefaultOne, NeverWaitForEachOtherInACircle) {
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      const auto mine = beside_default(), by_default = default_stream();
      for (int i = 0; i < 500; ++i) {
        int before = 0;
        mine->enqueue([&, i] { before = i; });
        EXPECT_EQ(by_default->run_now([&] { return std::to_string(before); }), std::to_string(i));
        by_default->enqueue([&] { ++before; });
        mine->enqueue([&] { done += before; });
        EXPECT_TRUE(mine->wait(20000));
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(done, 4 * 500 * 501 / 2);
}

}  // namespace
}  // namespace cuda_device::runtime
