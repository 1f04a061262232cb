// Streams and events of the host and of two GPUs through their common interface: random programs of
// functions, events and waits. What a wait or a stream's order puts before a function must be done
// when it is called.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>

#include "runtime/cuda/context.h"
#include "runtime/cuda/gpu.h"
#include "runtime/host/device.h"

namespace cuda_device::runtime {
namespace {

Device& device(int number) {
  if (number == kHostDevice) return host_device();
  return cuda::gpu(number);
}

class Program {
 public:
  Program(unsigned seed, int steps) : random_(seed), done_(static_cast<size_t>(steps)) {
    for (const int number : {kHostDevice, kHostDevice, 0, 0, 1})
      add(device(number).create_stream({}));
    add(device(0).default_stream());
    add(device(1).default_stream());
    for (int i = 0; i < steps; ++i) step(i);
  }

  void finish() {
    for (Queue& queue : queues_) {
      ASSERT_TRUE(queue.stream->wait(20000));
      EXPECT_TRUE(queue.stream->idle());
      EXPECT_EQ(queue.stream->take_error(), "");
    }
    EXPECT_EQ(early_, 0);
    EXPECT_EQ(called_, functions_);
    for (const Recorded& event : events_) EXPECT_TRUE(event.event->done());
  }

 private:
  struct Queue {
    std::shared_ptr<Stream> stream;
    std::vector<int> before;  // functions that come before the next
  };
  struct Recorded {
    std::shared_ptr<Event> event;
    std::vector<int> before;
  };

  void add(std::shared_ptr<Stream> stream) { queues_.push_back({std::move(stream), {}}); }
  size_t below(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random_); }

  void step(int number) {
    Queue& queue = queues_[below(queues_.size())];
    const size_t what = below(6);
    if (what < 3) return call(queue, number);
    if (what == 3 || events_.empty()) {
      events_.push_back({queue.stream->record(below(2) == 0), queue.before});
      return;
    }
    const Recorded& event = events_[below(events_.size())];
    queue.stream->wait_for(event.event);
    queue.before.insert(queue.before.end(), event.before.begin(), event.before.end());
  }

  void call(Queue& queue, int number) {
    ++functions_;
    const bool slow = below(8) == 0;
    queue.stream->call([this, slow, number, before = queue.before] {
      for (const int other : before)
        if (!done_[static_cast<size_t>(other)]) ++early_;
      if (slow) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      done_[static_cast<size_t>(number)] = true;
      ++called_;
    });
    queue.before = {number};
  }

  std::mt19937 random_;
  std::vector<Queue> queues_;
  std::vector<Recorded> events_;
  std::vector<std::atomic<bool>> done_;
  int functions_ = 0;
  std::atomic<int> called_{0}, early_{0};
};

TEST(StreamsOfAllDevices, RandomPrograms) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Program(seed, 150).finish();
  }
}

TEST(StreamsOfAllDevices, AFunctionIsCalledInOrderAndOnce) {
  for (const int number : {kHostDevice, 0, 1}) {
    SCOPED_TRACE(number);
    const auto stream = device(number).create_stream({});
    EXPECT_EQ(stream->device(), number);
    std::vector<int> seen;
    for (int i = 0; i < 100; ++i) stream->call([&seen, i] { seen.push_back(i); });
    ASSERT_TRUE(stream->wait(20000));
    ASSERT_EQ(seen.size(), 100u);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(seen[static_cast<size_t>(i)], i);
  }
}

TEST(StreamsOfAllDevices, AnEventTellsThatItIsDone) {
  for (const int number : {kHostDevice, 0}) {
    SCOPED_TRACE(number);
    const auto stream = device(number).create_stream({});
    std::atomic<bool> go{false}, told{false};
    stream->call([&] {
      while (!go) std::this_thread::yield();
    });
    const auto event = stream->record(true);
    EXPECT_FALSE(event->done());
    EXPECT_FALSE(event->wait(5));
    event->when_done([&] { told = true; });
    EXPECT_FALSE(told);
    go = true;
    ASSERT_TRUE(event->wait(20000));
    for (int i = 0; i < 20000 && !told; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_TRUE(told);
    bool at_once = false;
    event->when_done([&] { at_once = true; });
    EXPECT_TRUE(at_once);
    const auto later = stream->record(true);
    ASSERT_TRUE(later->wait(20000));
    EXPECT_GE(later->milliseconds_since(*event), 0);
  }
}

// The device is one that no other test uses: it stays lost.
TEST(StreamsOfAllDevices, WhatWaitsForALostGpuGoesOn) {
  constexpr int kLost = 2;
  const auto lose = reinterpret_cast<void (*)(uint64_t, int)>(
      dlsym(dlopen("libcuda.so.1", RTLD_NOW), "fake_lose"));
  const auto lost = device(kLost).create_stream({}), host = host_device().create_stream({}),
             other = device(1).create_stream({});
  std::atomic<bool> go{false}, of_event{false}, of_host{false}, of_other{false};
  lost->call([&] {
    while (!go) std::this_thread::yield();
  });
  const auto event = lost->record(false);
  event->when_done([&] { of_event = true; });
  host->wait_for(event);
  host->call([&] { of_host = true; });
  other->wait_for(host->record(false));
  other->call([&] { of_other = true; });
  lose(reinterpret_cast<uint64_t>(cuda::gpu(kLost).context().handle()), 700);
  go = true;
  EXPECT_FALSE(host->wait(20));
  EXPECT_FALSE(other->wait(20));
  cuda::look_for_losses();
  ASSERT_TRUE(host->wait(20000));
  ASSERT_TRUE(other->wait(20000));
  EXPECT_TRUE(of_event && of_host);
  for (int i = 0; i < 20000 && !of_other; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(of_other);
  EXPECT_TRUE(event->done() && event->wait(0) && lost->wait(0));
  EXPECT_NE(event->error().find("GPU 2"), std::string::npos);
  EXPECT_NE(host->take_error().text.find("GPU 2"), std::string::npos);
  EXPECT_EQ(other->take_error(), "");
  EXPECT_THROW(lost->call([] {}), cuda::DriverError);
}

TEST(StreamsOfAllDevices, AttributesHaveTheSameNames) {
  for (const int number : {kHostDevice, 1}) {
    EXPECT_EQ(device(number).attribute("compute_capability_major"), 9);
    EXPECT_EQ(device(number).architecture(), 90);
    EXPECT_EQ(device(number).attribute("max_shared_memory_per_block_optin"), 227 * 1024);
    EXPECT_THROW(device(number).attribute("colour"), std::invalid_argument);
  }
}

}  // namespace
}  // namespace cuda_device::runtime
