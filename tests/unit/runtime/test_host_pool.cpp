// Memory of the host device: what is reused, when, and how much is kept.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "runtime/host/stream.h"
#include "runtime/memory/host_pool.h"
#include "unit/in_child.h"

namespace cuda_device::runtime {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

// The system's memory, counted, with as much as the test lets it have.
struct Counted {
  ~Counted() {
    for (const auto& [memory, bytes] : given_out) give_pages(memory, bytes);
  }
  std::atomic<uint64_t> out{0}, taken{0}, most{UINT64_MAX};
  std::mutex mutex;
  std::map<void*, uint64_t> given_out;  // some tests keep what they have
  HostPool::System system() {
    return {[this](uint64_t bytes) -> void* {
              if (out + bytes > most) return nullptr;
              out += bytes;
              ++taken;
              void* memory = take_pages(bytes);
              const std::lock_guard lock(mutex);
              if (memory) given_out[memory] = bytes;
              return memory;
            },
            [this](void* memory, uint64_t bytes) {
              out -= bytes;
              {
                const std::lock_guard lock(mutex);
                given_out.erase(memory);
              }
              give_pages(memory, bytes);
            }};
  }
};

class HostPools : public testing::Test {
 protected:
  Counted counted_;
};

// A stream that does nothing until it is let go.
class Held {
 public:
  Held() {
    stream->enqueue([this] {
      while (!go_) std::this_thread::yield();
      return std::string();
    });
  }
  ~Held() { let_go(); }
  void let_go() {
    go_ = true;
    stream->wait(-1);
  }
  const std::shared_ptr<HostStream> stream = std::make_shared<HostStream>();

 private:
  std::atomic<bool> go_{false};
};

TEST(SizeClass, RoundsByAnEighthAtMost) {
  EXPECT_EQ(size_class(1), 256u);
  EXPECT_EQ(size_class(256), 256u);
  EXPECT_EQ(size_class(257), 512u);
  EXPECT_EQ(size_class(2049), 2304u);
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    const uint64_t bytes = 1 + (random() >> (17 + random() % 46));
    const uint64_t size = size_class(bytes);
    EXPECT_GE(size, bytes);
    EXPECT_EQ(size % kMemoryAlign, 0u);
    EXPECT_LE(size - bytes, std::max(kMemoryAlign - 1, bytes / 8)) << bytes;
    EXPECT_EQ(size_class(size), size);
    if (size >= kOwnPages) {
      EXPECT_EQ(size % 4096, 0u);
    }
  }
}

TEST_F(HostPools, BlocksAreAlignedAndLargeOnesZero) {
  HostPool pool(0, counted_.system());
  for (const uint64_t bytes : {uint64_t{1}, uint64_t{300}, kMiB, 2 * kMiB, 5 * kMiB + 1}) {
    const HostPool::Block block = pool.allocate(bytes);
    ASSERT_TRUE(block.memory);
    EXPECT_EQ(reinterpret_cast<uint64_t>(block.memory) % kMemoryAlign, 0u);
    EXPECT_EQ(block.zero, bytes >= kOwnPages);
    if (block.zero) {
      EXPECT_EQ(static_cast<char*>(block.memory)[bytes - 1], 0);
    }
    std::memset(block.memory, 1, bytes);
    pool.release(block.memory, bytes);
  }
  EXPECT_EQ(counted_.out, 0u);
}

TEST_F(HostPools, WhatIsFreedIsReusedAndNotCalledZero) {
  HostPool pool(100 * kMiB, counted_.system());
  const HostPool::Block first = pool.allocate(3 * kMiB);
  pool.release(first.memory, 3 * kMiB);
  EXPECT_EQ(pool.kept(), size_class(3 * kMiB));
  const HostPool::Block second = pool.allocate(3 * kMiB - 10);
  EXPECT_EQ(second.memory, first.memory);
  EXPECT_FALSE(second.zero);
  EXPECT_EQ(pool.kept(), 0u);
  EXPECT_NE(pool.allocate(2 * kMiB).memory, nullptr);
  EXPECT_EQ(counted_.taken, 2u);
}

TEST_F(HostPools, TheOldestGoesWhenMoreIsFreedThanIsKept) {
  HostPool pool(1024, counted_.system());
  void* blocks[5];
  for (auto& block : blocks) block = pool.allocate(256).memory;
  for (const auto& block : blocks) pool.release(block, 256);
  EXPECT_EQ(pool.kept(), 1024u);
  EXPECT_EQ(counted_.out, 1024u);
  for (int i = 4; i > 0; --i) EXPECT_EQ(pool.allocate(256).memory, blocks[i]);
  EXPECT_EQ(counted_.taken, 5u);
  void* const large = pool.allocate(2000).memory;
  pool.release(large, 2000);
  EXPECT_EQ(counted_.out, 1024u) << "what is larger than all that may be kept goes at once";
}

TEST_F(HostPools, TrimGivesBackTheOldestOfAnySize) {
  HostPool pool(100 * kMiB, counted_.system());
  void* const a = pool.allocate(512).memory;
  void* const b = pool.allocate(1024).memory;
  void* const c = pool.allocate(512).memory;
  pool.release(a, 512);
  pool.release(b, 1024);
  pool.release(c, 512);
  EXPECT_EQ(pool.trim(1600), 512u);
  EXPECT_EQ(pool.kept(), 1536u);
  EXPECT_EQ(pool.allocate(512).memory, c);
  EXPECT_EQ(pool.trim(0), 1024u);
  EXPECT_EQ(counted_.out, 512u);
}

TEST_F(HostPools, OutOfMemoryGivesBackWhatIsKeptAndTriesAgain) {
  HostPool pool(100 * kMiB, counted_.system());
  counted_.most = 4 * kMiB;
  void* const kept = pool.allocate(3 * kMiB).memory;
  pool.release(kept, 3 * kMiB);
  void* const other = pool.allocate(2 * kMiB).memory;
  ASSERT_TRUE(other);
  EXPECT_EQ(pool.kept(), 0u);
  EXPECT_FALSE(pool.allocate(3 * kMiB).memory);
  EXPECT_FALSE(pool.allocate(UINT64_MAX).memory);
  pool.release(other, 2 * kMiB);
  void* const again = pool.allocate(3 * kMiB).memory;
  EXPECT_TRUE(again);
  pool.release(again, 3 * kMiB);
}

TEST_F(HostPools, AStreamHasItsOwnAtOnceAndOthersWhenItHasComeSoFar) {
  HostPool pool(100 * kMiB, counted_.system());
  Held held;
  auto other = std::make_shared<HostStream>();
  void* const block = pool.allocate(1000, held.stream).memory;
  pool.release(block, 1000, held.stream);
  void* const elsewhere = pool.allocate(1000, other).memory;
  EXPECT_NE(elsewhere, block);
  EXPECT_NE(pool.allocate(1000).memory, block);
  EXPECT_EQ(pool.allocate(1000, held.stream).memory, block);
  pool.release(block, 1000, held.stream);
  held.let_go();
  EXPECT_EQ(pool.allocate(1000, other).memory, block);
}

TEST_F(HostPools, ABlockThatItsStreamTookBackIsNotGivenToAnybodyElse) {
  HostPool pool(100 * kMiB, counted_.system());
  Held held;
  void* const block = pool.allocate(1000, held.stream).memory;
  pool.release(block, 1000, held.stream);
  EXPECT_EQ(pool.allocate(1000, held.stream).memory, block);
  held.let_go();
  EXPECT_EQ(pool.kept(), 0u);
  EXPECT_NE(pool.allocate(1000).memory, block);
}

TEST_F(HostPools, AnIdleStreamIsNoStream) {
  HostPool pool(100 * kMiB, counted_.system());
  auto stream = std::make_shared<HostStream>();
  void* const block = pool.allocate(1000, stream).memory;
  pool.release(block, 1000, stream);
  EXPECT_EQ(pool.allocate(1000).memory, block);
}

TEST_F(HostPools, InAChildWhatWaitedForAStreamIsFree) {
  if (!kForksWork) GTEST_SKIP() << "waits for a build without sanitizers";
  HostPool pool(100 * kMiB, counted_.system());
  Held held;
  void* const block = pool.allocate(1000, held.stream).memory;
  pool.release(block, 1000, held.stream);
  EXPECT_EQ(in_child([&] { return pool.allocate(1000).memory == block ? 0 : 1; }), 0);
  EXPECT_NE(pool.allocate(1000).memory, block);
}

TEST_F(HostPools, AForkInTheMiddleOfOtherThreadsWork) {
  if (!kForksWork) GTEST_SKIP() << "waits for a build without sanitizers";
  HostPool pool(kMiB, counted_.system());
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) pool.release(pool.allocate(5000).memory, 5000);
  });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(in_child([&] {
                for (int n = 0; n < 100; ++n) {
                  void* const block = pool.allocate(5000).memory;
                  if (!block) return 1;
                  pool.release(block, 5000);
                }
                return pool.kept() <= kMiB ? 0 : 2;
              }),
              0);
  stop = true;
  busy.join();
}

// The owners of bytes: only the owner writes to them.
class Users {
 public:
  Users(HostPool& pool, uint64_t seed) : pool_(pool), random_(seed) {}
  void step() {
    if (mine_.size() > 50 || (random_() % 2 && !mine_.empty()))
      give(random_() % mine_.size());
    else
      take();
    if (random_() % 500 == 0) pool_.trim(random_() % (4 * kMiB));
  }
  void give_all() {
    while (!mine_.empty()) give(0);
    for (const auto& stream : streams_)
      if (stream) stream->wait(-1);
  }

 private:
  struct Mine {
    unsigned char* bytes;
    uint64_t size;
    unsigned char mark;
    std::shared_ptr<HostStream> stream;
  };
  void take() {
    Mine m{nullptr, 1 + (random_() % 4 ? random_() % 6000 : random_() % (3 * kMiB)),
           static_cast<unsigned char>(random_()), streams_[random_() % 3]};
    m.bytes = static_cast<unsigned char*>(pool_.allocate(m.size, m.stream).memory);
    ASSERT_TRUE(m.bytes);
    // Runs in the stream's order, as memory of a stream is used.
    on(m, [](const Mine& my) {
      my.bytes[0] = my.bytes[my.size / 2] = my.bytes[my.size - 1] = my.mark;
    });
    mine_.push_back(m);
  }
  void give(size_t i) {
    const Mine m = mine_[i];
    mine_.erase(mine_.begin() + static_cast<std::ptrdiff_t>(i));
    on(m, [](const Mine& my) {
      EXPECT_EQ(my.bytes[0], my.mark);
      EXPECT_EQ(my.bytes[my.size / 2], my.mark);
      EXPECT_EQ(my.bytes[my.size - 1], my.mark);
    });
    pool_.release(m.bytes, m.size, m.stream);
  }
  template <class Use>
  void on(const Mine& m, Use use) {
    if (!m.stream) return use(m);
    m.stream->enqueue([m, use] {
      use(m);
      return std::string();
    });
  }

  HostPool& pool_;
  std::mt19937_64 random_;
  std::vector<Mine> mine_;
  const std::shared_ptr<HostStream> streams_[3] = {nullptr, std::make_shared<HostStream>(),
                                                   std::make_shared<HostStream>()};
};

TEST_F(HostPools, RandomUsersOfSeveralThreadsKeepTheirBytes) {
  {
    HostPool pool(8 * kMiB, counted_.system());
    std::vector<std::thread> threads;
    for (uint64_t seed = 0; seed < 4; ++seed)
      threads.emplace_back([&, seed] {
        Users users(pool, seed);
        for (int i = 0; i < 25000; ++i) users.step();
        users.give_all();
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(pool.kept(), 8 * kMiB);
    EXPECT_EQ(counted_.out, pool.kept());
  }
  EXPECT_EQ(counted_.out, 0u);
}

}  // namespace
}  // namespace cuda_device::runtime
