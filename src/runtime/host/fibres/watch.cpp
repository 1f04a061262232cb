#include "runtime/host/fibres/watch.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "runtime/host/fibres/clock.h"
#include "runtime/host/pool.h"

namespace cuda_device::runtime::fibres {
namespace {

// Between looks for several, in ns: another thread has to wake after the one that looks.
constexpr int64_t kAmongOthers = 500'000;
constexpr int64_t kSoon = 50'000;  // what a thread that goes on does may let the next one go on

}  // namespace

// False: no memory.
bool Watch::add(Entry& entry) {
  try {
    sleeping_.push_back(&entry);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void Watch::sleep(const Sleeper& sleeper, int64_t longest) {
  const int64_t end = now() + longest;
  Entry own{sleeper, {}};
  Lock lock(mutex_);
  if (!add(own)) {
    lock.unlock();
    return sleep_for(kAlone);
  }
  for (int64_t left = longest; !own.may_go_on && left > 0; left = end - now()) {
    if (watched_)
      own.wake.wait_for(lock, std::chrono::nanoseconds(left));
    else
      look_for_all(lock, own, end);
  }
  std::erase(sleeping_, &own);
  if (!watched_ && !sleeping_.empty())
    sleeping_.front()->wake.notify_one();  // it looks from now on
}

void Watch::look_for_all(Lock& lock, const Entry& own, int64_t end) {
  watched_ = true;
  while (!own.may_go_on && now() < end) {
    pause_ = std::min(2 * pause_, sleeping_.size() == 1 ? kAlone : kAmongOthers);
    const int64_t pause = pause_;
    lock.unlock();
    sleep_for(pause);
    // What is queued needs a thread in the place of one that sleeps.
    if (WorkerPool* const workers = pool_if_made()) workers->stand_in();
    lock.lock();
    for (Entry* entry : sleeping_) {
      if (entry->may_go_on || !entry->sleeper.may_go_on()) continue;
      entry->may_go_on = true;
      pause_ = kSoon / 2;
      if (entry != &own) entry->wake.notify_one();
    }
  }
  watched_ = false;
}

// Those who slept are gone, and so may be who held the lock.
void Watch::renew_in_child() {
  leave_behind(mutex_);
  leave_behind(sleeping_);
  pause_ = kAlone;
  watched_ = false;
}

namespace {

Watch& the_only_watch() {
  static Watch* const made = new Watch;  // outlives every thread
  return *made;
}
[[maybe_unused]] Watch& watch_at_load = the_only_watch();

}  // namespace

Watch& watch() { return the_only_watch(); }

}  // namespace cuda_device::runtime::fibres
