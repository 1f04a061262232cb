// The remedies of support/fork.h, each with a thread of the parent in the way.
#include "support/fork.h"

#include <thread>
#include <vector>

#include "unit/in_child.h"

namespace cuda_device {
namespace {

class Fork : public testing::Test {
 protected:
  void SetUp() override {
    if (!kForksWork) GTEST_SKIP() << "waits for a build without sanitizers";
  }
};

// Runs `body` again and again on another thread while the test forks.
class Meanwhile {
 public:
  template <class Body>
  explicit Meanwhile(Body body)
      : thread_([this, body] {
          while (!stop_) body();
        }) {}
  ~Meanwhile() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST_F(Fork, IsCountedInTheChild) {
  const unsigned before = fork_count();
  EXPECT_EQ(in_child([&] { return fork_count() == before + 1 ? 0 : 1; }), 0);
  EXPECT_EQ(fork_count(), before);
}

ForkMutex mutex;
int first = 0, second = 0;

TEST_F(Fork, FindsWhatAForkMutexGuardsWholeAndFree) {
  Meanwhile busy([] {
    std::lock_guard lock(mutex);
    ++first;
    for (int i = 0; i < 1000; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
    ++second;
  });
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(in_child([] {
                std::lock_guard lock(mutex);
                return first == second ? 0 : 1;
              }),
              0);
}

TEST_F(Fork, WaitsForScopesOfOtherThreads) {
  std::atomic<int> begun{0}, ended{0};
  Meanwhile busy([&] {
    FinishBeforeFork outer, inner;
    ++begun;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    ++ended;
  });
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(in_child([&] {
                if (begun != ended) return 1;
                FinishBeforeFork free_here_too;
                return 0;
              }),
              0);
}

TEST_F(Fork, DoesNotWaitForTheScopeItIsIn) {
  FinishBeforeFork scope;
  EXPECT_EQ(in_child([] {
              FinishBeforeFork nested;
              return in_child([] { return 0; });
            }),
            0);
}

struct Hooked {
  std::mutex mutex;
  int renewed = 0;
  void renew_in_child() {
    leave_behind(mutex);
    ++renewed;
  }
  ForkHook hook{this};
};

TEST_F(Fork, RenewsWhatIsHookedAndStillLives) {
  Hooked kept;
  auto between = std::make_unique<Hooked>();
  Hooked last;
  std::thread holder([&] { kept.mutex.lock(); });
  holder.join();
  between.reset();
  EXPECT_EQ(in_child([&] {
              std::lock_guard lock(kept.mutex);
              return kept.renewed == 1 && last.renewed == 1 ? 0 : 1;
            }),
            0);
  EXPECT_EQ(kept.renewed, 0);
  kept.mutex.unlock();
}

TEST_F(Fork, HooksComeAndGoMeanwhile) {
  Meanwhile busy([] { std::make_unique<Hooked>(); });
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(in_child([] {
                Hooked made_here;
                return in_child([&] { return made_here.renewed == 1 ? 0 : 1; });
              }),
              0);
}

TEST(MadeOnce, MakesOnceWhoeverAsksFirst) {
  static constinit MadeOnce<int> once;  // what it makes is never dropped
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      EXPECT_EQ(once.get([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return 40 + ++made;
      }),
                41);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(made, 1);
}

TEST(MadeOnce, TriesAgainAfterAnException) {
  static constinit MadeOnce<int> once;
  EXPECT_THROW(once.get([]() -> int { throw 1; }), int);
  EXPECT_EQ(once.get([] { return 2; }), 2);
}

}  // namespace
}  // namespace cuda_device
