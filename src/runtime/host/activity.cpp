#include "runtime/host/activity.h"

#include <chrono>
#include <memory>
#include <new>

#include "runtime/host/device.h"
#include "runtime/host/pool.h"
#include "runtime/host/stream.h"
#include "runtime/host/stream_list.h"
#include "support/fork.h"

namespace cuda_device::runtime {
namespace {

thread_local ThreadActivity activity;

// Longer than threads that only look take, on a machine that is busy, too; and well below the time
// after which launches that wait are a deadlock.
constexpr std::chrono::nanoseconds kLongLook = std::chrono::milliseconds(300);

std::atomic<uint64_t> advances{0};

// What a forked child's parent awaits comes to the parent.
struct Elsewhere {
  std::atomic<uint64_t> awaited{0};
  ForkHook hook{this};
  void renew_in_child() { awaited = 0; }
};

Elsewhere& elsewhere() {
  static Elsewhere* const made = new Elsewhere;  // outlives every thread
  return *made;
}
[[maybe_unused]] Elsewhere& made_at_load = elsewhere();

}  // namespace

bool ThreadActivity::looks_for_long() const {
  const int64_t since = looks_since;
  return since != 0 &&
         std::chrono::steady_clock::now().time_since_epoch() - std::chrono::nanoseconds(since) >=
             kLongLook;
}

ThreadActivity& activity_of_this_thread() { return activity; }

AwaitedElsewhere::AwaitedElsewhere() : forks_(fork_count()) { ++elsewhere().awaited; }

AwaitedElsewhere::~AwaitedElsewhere() {
  if (fork_count() == forks_) --elsewhere().awaited;
}

void count_advance() { ++advances; }

namespace {

WorkSeen look_at_all() {
  WorkSeen all{elsewhere().awaited != 0, advances};
  const auto add = [&all](const WorkSeen& one) {
    all.going_on |= one.going_on;
    all.so_far += one.so_far;
  };
  if (WorkerPool* const workers = pool_if_made()) add(workers->work_seen());
  for (const auto& stream : listed_streams()) add(stream->work_seen());
  const auto stream = host_device().default_stream();
  add(static_cast<const HostStream&>(*stream).work_seen());
  return all;
}

}  // namespace

WorkSeen work_seen() noexcept {
  try {
    return look_at_all();
  } catch (const std::bad_alloc&) {  // then it cannot be known
    return {true, 0};
  }
}

}  // namespace cuda_device::runtime
