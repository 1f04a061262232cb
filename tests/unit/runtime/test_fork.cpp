// A forked child has a pool, streams and events that work, whatever the parent's threads were
// doing.
#include <thread>

#include "runtime/host/pool.h"
#include "runtime/host/stream.h"
#include "runtime/owners.h"
#include "unit/in_child.h"
#include "unit/runtime/blocks.h"

namespace cuda_device::runtime {
namespace {

using std::chrono::milliseconds;

class Forked : public testing::Test {
 protected:
  void SetUp() override {
    if (!kForksWork) GTEST_SKIP() << "waits for a build without sanitizers";
  }
};

std::atomic<bool> go_on;
std::atomic<int> begun;

void wait_for_go(uint64_t) {
  ++begun;
  while (!go_on) std::this_thread::sleep_for(milliseconds(1));
}

// Work that lasts until the end of the test.
class Busy {
 public:
  Busy() {
    go_on = false;
    begun = 0;
  }
  ~Busy() {
    go_on = true;
    if (thread_.joinable()) thread_.join();
  }
  void launch_on(HostStream& stream) {
    thread_ = std::thread([&] {
      stream.run_now([] {
        Counts counts(8, wait_for_go);
        return pool().run(counts.job());
      });
    });
    while (begun == 0) std::this_thread::yield();
  }
  void queue_on(HostStream& stream) {
    stream.enqueue([] {
      wait_for_go(0);
      return std::string("the parent's error");
    });
    while (begun == 0) std::this_thread::yield();
  }

 private:
  std::thread thread_;
};

bool launches(HostStream& stream) {
  Counts counts(1000);
  const Error error = stream.run_now([&] { return pool().run(counts.job()); });
  return error.empty() && counts.all_once();
}

bool queues(HostStream& stream) {
  Counts counts(1000);
  for (int i = 0; i < 3; ++i) stream.enqueue([&] { return pool().run(counts.job()); });
  return stream.wait(10000) && stream.take_error().empty() && counts.how_many() == 1000;
}

TEST_F(Forked, PoolAndStreamWorkWhileAThreadIsInALaunch) {
  auto stream = std::make_shared<HostStream>();
  Busy busy;
  busy.launch_on(*stream);
  EXPECT_EQ(in_child([&] { return launches(*stream) && queues(*stream) ? 0 : 1; }), 0);
}

TEST_F(Forked, AStreamIsEmptyAndIdleInTheChild) {
  auto stream = std::make_shared<HostStream>();
  static std::atomic<int> queued_ran;
  queued_ran = 0;
  {
    Busy busy;
    busy.queue_on(*stream);
    stream->enqueue([] {
      ++queued_ran;
      return std::string();
    });
    EXPECT_EQ(in_child([&] {
                if (!stream->idle() || !stream->wait(0)) return 1;
                if (!launches(*stream) || !queues(*stream)) return 2;
                return queued_ran == 0 ? 0 : 3;
              }),
              0);
    EXPECT_FALSE(stream->idle());
  }
  ASSERT_TRUE(stream->wait(20000));
  EXPECT_EQ(queued_ran, 1);
  EXPECT_EQ(stream->take_error(), "the parent's error");
}

TEST_F(Forked, AStreamThatWaitsForAnEvent) {
  auto stream = std::make_shared<HostStream>();
  auto event = std::make_shared<EventState>();
  stream->wait_for(event);
  EXPECT_EQ(in_child([&] { return queues(*stream) ? 0 : 1; }), 0);
  event->complete();
  EXPECT_TRUE(stream->wait(20000));
}

TEST_F(Forked, EventsOfTheParentsWorkAreDoneInTheChild) {
  auto stream = std::make_shared<HostStream>();
  auto before = std::make_shared<EventState>(), pending = std::make_shared<EventState>();
  stream->record(before);
  ASSERT_TRUE(stream->wait(20000));
  Busy busy;
  busy.queue_on(*stream);
  stream->record(pending);
  EXPECT_EQ(in_child([&] {
              if (!pending->wait(0) || pending->seconds() != 0) return 1;
              if (!before->done() || before->seconds() == 0) return 2;
              auto other = std::make_shared<HostStream>();
              other->wait_for(pending);
              return queues(*other) ? 0 : 3;
            }),
            0);
  EXPECT_FALSE(pending->done());
}

TEST_F(Forked, AStreamThatAnotherThreadKeepsUsing) {
  auto stream = std::make_shared<HostStream>();
  abi::Owner owner;
  std::atomic<bool> stop{false};
  std::thread user([&] {
    while (!stop) {
      stream->enqueue([] { return std::string(); });
      stream->record(std::make_shared<EventState>());
      stream->run_now([] { return std::string(); });
      owner_finished(&owner);
      take_finished_owners();
    }
  });
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(in_child([&] {
                take_finished_owners();
                return launches(*stream) && queues(*stream) ? 0 : 1;
              }),
              0);
  stop = true;
  user.join();
}

TEST_F(Forked, ChildrenOfChildren) {
  auto stream = std::make_shared<HostStream>();
  ASSERT_TRUE(launches(*stream));
  EXPECT_EQ(in_child([&] {
              if (!queues(*stream)) return 1;
              return in_child([&] { return launches(*stream) && queues(*stream) ? 0 : 2; });
            }),
            0);
}

TEST_F(Forked, OwnersThatWereFinishedAreThereOnceInEach) {
  abi::Owner owner;
  owner_finished(&owner);
  EXPECT_EQ(in_child([&] { return take_finished_owners() == &owner ? 0 : 1; }), 0);
  EXPECT_EQ(take_finished_owners(), &owner);
}

// A signal's handler forks while its thread waits in a launch: in the child, the others' blocks
// will never be done.
void fork_within_a_launch(WorkerPool& two) {
  auto stream = std::make_shared<HostStream>();
  const std::function<bool()> fork_and_go_on = [] {
    const pid_t child = fork();
    if (child == 0) alarm(20);
    int status = 0;
    if (child > 0) {
      waitpid(child, &status, 0);
      EXPECT_EQ(WEXITSTATUS(status), 7);
      EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    }
    go_on = true;
    return false;
  };
  go_on = false;
  begun = 0;
  static const std::thread::id launcher = std::this_thread::get_id();
  Counts counts(2, [](uint64_t block) {
    if (std::this_thread::get_id() != launcher) return wait_for_go(block);
    while (begun == 0) std::this_thread::yield();
  });
  Interrupt interrupt(fork_and_go_on);
  const unsigned forks = fork_count();
  const Error error =
      stream->run_now([&] { return two.run(counts.job(), &interrupt); }, &interrupt);
  if (fork_count() != forks) _exit(error == kForkedMeanwhile && launches(*stream) ? 7 : 8);
  EXPECT_EQ(error, "");
}

TEST_F(Forked, ALaunchThatForksEndsWithAnErrorInTheChild) {
  WorkerPool two(2);
  fork_within_a_launch(two);
}

// Its lock may be held by a thread that the child does not have.
TEST_F(Forked, ALaunchThatForksLeavesItsParentsPoolAlone) {
  WorkerPool two(2);
  std::atomic<bool> over{false};
  std::atomic<int> queued{0};
  std::thread busy([&] {
    while (!over)
      if (queued < 10) {
        ++queued;
        two.post([&] { --queued; });
      }
  });
  for (int i = 0; i < 20 && !HasFailure(); ++i) fork_within_a_launch(two);
  over = true;
  busy.join();
}

}  // namespace
}  // namespace cuda_device::runtime
