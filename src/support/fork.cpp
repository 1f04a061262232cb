#include "support/fork.h"

#include <pthread.h>

#include <condition_variable>
#include <utility>

namespace cuda_device {
namespace {

// All of these are constant-initialised: static objects of other files may use them at once.
constinit ForkMutex* mutexes = nullptr;  // changed by static initialisers only
constinit ForkHook* hooks = nullptr;
constinit std::mutex hooks_mutex;
constinit std::atomic<unsigned> forks{0};

// The scopes that a fork waits for.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  int inside = 0;
  bool forking = false;
};
Gate& gate() {
  static Gate* const made = new Gate;
  return *made;
}
thread_local int depth = 0;  // of this thread's scopes

void enter_gate() {
  Gate& g = gate();
  std::unique_lock lock(g.mutex);
  g.changed.wait(lock, [&] { return !g.forking; });
  ++g.inside;
}

void leave_gate() {
  Gate& g = gate();
  std::lock_guard lock(g.mutex);
  --g.inside;
  if (g.forking) g.changed.notify_all();
}

}  // namespace

unsigned fork_count() { return forks.load(std::memory_order_relaxed); }

ForkMutex::ForkMutex() : next_(mutexes) { mutexes = this; }

FinishBeforeFork::FinishBeforeFork() {
  if (depth == 0) enter_gate();
  ++depth;
}

FinishBeforeFork::~FinishBeforeFork() {
  if (--depth == 0) leave_gate();
}

// A fork that waits for the scope around it goes on waiting.
UnfinishedWork::UnfinishedWork() {
  Gate& g = gate();
  std::lock_guard lock(g.mutex);
  ++g.inside;
}

UnfinishedWork::~UnfinishedWork() { leave_gate(); }

ForkMeanwhile::ForkMeanwhile() : depth_(std::exchange(depth, 0)) {
  if (depth_ > 0) leave_gate();
}

ForkMeanwhile::~ForkMeanwhile() {
  if (depth_ > 0) enter_gate();
  depth = depth_;
}

ForkHook::ForkHook(void* object, void (*renew)(void*)) : object_(object), renew_(renew) {
  std::lock_guard lock(hooks_mutex);
  previous_ = nullptr;
  next_ = hooks;
  if (hooks) hooks->previous_ = this;
  hooks = this;
}

ForkHook::~ForkHook() {
  std::lock_guard lock(hooks_mutex);
  (previous_ ? previous_->next_ : hooks) = next_;
  if (next_) next_->previous_ = previous_;
}

// Handlers of long work run first: they may take the locks.
struct ForkHandlers {
  static int ours() { return depth > 0 ? 1 : 0; }

  static void prepare() {
    Gate& g = gate();
    {
      std::unique_lock lock(g.mutex);
      g.changed.wait(lock, [&] { return !g.forking; });  // two threads may fork at once
      g.forking = true;
      g.changed.wait(lock, [&] { return g.inside == ours(); });
    }
    for (ForkMutex* m = mutexes; m; m = m->next_) m->mutex_.lock();
    hooks_mutex.lock();
  }

  static void parent() {
    hooks_mutex.unlock();
    for (ForkMutex* m = mutexes; m; m = m->next_) m->mutex_.unlock();
    Gate& g = gate();
    std::lock_guard lock(g.mutex);
    g.forking = false;
    g.changed.notify_all();
  }

  static void child() {
    forks.fetch_add(1, std::memory_order_relaxed);
    leave_behind(hooks_mutex);
    for (ForkMutex* m = mutexes; m; m = m->next_) leave_behind(m->mutex_);
    leave_behind(gate());
    gate().inside = ours();
    for (ForkHook* hook = hooks; hook; hook = hook->next_) hook->renew_(hook->object_);
  }
};

namespace {
[[maybe_unused]] const int registered =
    (gate(), pthread_atfork(&ForkHandlers::prepare, &ForkHandlers::parent, &ForkHandlers::child));
}  // namespace

}  // namespace cuda_device
