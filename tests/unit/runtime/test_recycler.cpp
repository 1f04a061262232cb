// Memory that goes from thread to thread: the queue of a stream, and what lies in it.
#include "runtime/host/recycler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "runtime/host/ring.h"

namespace cuda_device::runtime {
namespace {

TEST(Recycler, GivesBlocksOutAgain) {
  static Recycler<64> blocks;
  std::set<void*> first;
  for (int i = 0; i < 100; ++i) first.insert(blocks.take());
  EXPECT_EQ(first.size(), 100u);
  for (void* block : first) blocks.give(block);
  std::set<void*> again;
  for (int i = 0; i < 100; ++i) again.insert(blocks.take());
  EXPECT_EQ(again, first);
  for (void* block : again) blocks.give(block);
}

TEST(Recycler, HoldsAFewOnly) {
  static Recycler<64> blocks;
  std::vector<void*> all;
  all.reserve(10000);
  for (int i = 0; i < 10000; ++i) all.push_back(blocks.take());
  const std::set<void*> known(all.begin(), all.end());
  EXPECT_EQ(known.size(), all.size());
  for (void* block : all) blocks.give(block);  // most go back to the heap
}

// Each block has one holder at a time, whichever thread gives it and whichever takes it.
TEST(Recycler, TwoThreadsNeverHoldOneBlock) {
  struct Block {
    std::atomic<int> holders;
    char rest[60];
  };
  static Recycler<sizeof(Block)> blocks;
  constexpr int kThreads = 4, kRounds = 20000;
  std::atomic<int> shared{0};
  std::vector<std::atomic<Block*>> slots(64);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int i = 0; i < kRounds; ++i) {
        auto* const made = new (blocks.take()) Block{{1}, {}};
        if (made->holders.fetch_add(1) != 1) ++shared;
        // Into a slot, and what another thread has left there is given.
        Block* const left = slots[random() % slots.size()].exchange(made);
        if (!left) continue;
        if (left->holders.load() != 2) ++shared;
        blocks.give(left);
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (auto& slot : slots)
    if (Block* const left = slot.load()) blocks.give(left);
  EXPECT_EQ(shared, 0);
}

TEST(Ring, KeepsTheOrderAsADequeDoes) {
  std::mt19937 random(7);
  Ring<std::unique_ptr<int>> ring;
  std::deque<int> model;
  int next = 0;
  for (int phase = 0; phase < 60; ++phase) {
    const unsigned put = random() % 4, steps = random() % 3000;  // of four: grows, or drains
    for (unsigned i = 0; i < steps; ++i) {
      if (random() % 4 < put) {
        ring.push_back(std::make_unique<int>(next));
        model.push_back(next++);
      } else if (!model.empty()) {
        EXPECT_EQ(*ring.pop_front(), model.front());
        model.pop_front();
      }
      ASSERT_EQ(ring.empty(), model.empty());
    }
    if (model.empty()) continue;
    const int wanted = model[random() % model.size()];
    const auto* found = ring.find_if([&](const auto& value) { return *value == wanted; });
    ASSERT_TRUE(found);
    EXPECT_EQ(**found, wanted);
    EXPECT_FALSE(ring.find_if([&](const auto& value) { return *value == next; }));
  }
  EXPECT_GT(next, 10000);
}

TEST(Ring, LetsGoOfWhatIsTakenOut) {
  Ring<std::shared_ptr<int>> ring;
  auto value = std::make_shared<int>(1);
  ring.push_back(std::shared_ptr<int>(value));
  EXPECT_EQ(value.use_count(), 2);
  (void)ring.pop_front();
  EXPECT_EQ(value.use_count(), 1);
}

}  // namespace
}  // namespace cuda_device::runtime
