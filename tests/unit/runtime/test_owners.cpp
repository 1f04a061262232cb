// Owners of finished launches: each is handed out once.
#include "runtime/owners.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace cuda_device::runtime {
namespace {

TEST(Owners, NullIsNoOwner) {
  owner_finished(nullptr);
  EXPECT_EQ(take_finished_owner(), nullptr);
}

TEST(Owners, EachIsTakenOnce) {
  constexpr int kThreads = 4, kEach = 10000;
  std::vector<std::atomic<int>> taken(kThreads * kEach);
  std::atomic<int> finished{0}, count{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) owner_finished(&taken[static_cast<size_t>(t * kEach + i)]);
      ++finished;
    });
    threads.emplace_back([&] {
      while (count < kThreads * kEach) {
        const bool last_look = finished == kThreads;
        void* owner = take_finished_owner();
        if (owner) {
          ++*static_cast<std::atomic<int>*>(owner);
          ++count;
        } else if (last_look) {
          return;
        }
      }
    });
  }
  for (auto& t : threads) t.join();
  for (const auto& times : taken) ASSERT_EQ(times, 1);
  EXPECT_EQ(take_finished_owner(), nullptr);
}

}  // namespace
}  // namespace cuda_device::runtime
