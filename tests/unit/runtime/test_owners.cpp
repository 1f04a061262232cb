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
  EXPECT_EQ(take_finished_owners(), nullptr);
}

TEST(Owners, EachIsTakenOnce) {
  constexpr int kThreads = 4, kEach = 10000;
  struct Counted : abi::Owner {
    std::atomic<int> taken{0};
  };
  std::vector<Counted> owners(kThreads * kEach);
  std::atomic<int> finished{0}, count{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) owner_finished(&owners[static_cast<size_t>(t * kEach + i)]);
      ++finished;
    });
    threads.emplace_back([&] {
      while (count < kThreads * kEach) {
        const bool last_look = finished == kThreads;
        abi::Owner* owner = take_finished_owners();
        if (!owner && last_look) return;
        for (; owner; owner = owner->next, ++count) ++static_cast<Counted*>(owner)->taken;
      }
    });
  }
  for (auto& t : threads) t.join();
  for (const Counted& owner : owners) ASSERT_EQ(owner.taken, 1);
  EXPECT_EQ(take_finished_owners(), nullptr);
}

}  // namespace
}  // namespace cuda_device::runtime
