#include <chrono>
#include <stdexcept>
#include <utility>

#include "runtime/host/activity.h"
#include "runtime/host/stream.h"

namespace cuda_device::runtime {

bool EventState::done() const {
  std::lock_guard lock(state_.mutex);
  return state_.done;
}

double EventState::seconds() const {
  std::lock_guard lock(state_.mutex);
  return state_.seconds;
}

double EventState::milliseconds_since(const Event& earlier) const {
  const double end = seconds(), begin = static_cast<const EventState&>(earlier).seconds();
  if (begin == 0 || end == 0)
    throw std::runtime_error(
        "an event that was not recorded or is not done yet has no time: record() both, sync() the "
        "later one");
  return 1e3 * (end - begin);
}

void EventState::complete() {
  std::vector<std::function<void()>> continuations;
  {
    std::lock_guard lock(state_.mutex);
    state_.done = true;
    state_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    continuations.swap(state_.continuations);
    state_.changed.notify_all();
  }
  for (auto& then : continuations) then();
}

void EventState::when_done(std::function<void()> then) {
  {
    std::lock_guard lock(state_.mutex);
    if (!state_.done) {
      state_.continuations.push_back(std::move(then));
      return;
    }
  }
  then();
}

bool EventState::wait(int milliseconds) {
  std::unique_lock lock(state_.mutex);
  const auto done = [this] { return state_.done; };
  if (state_.done) return true;
  const ActivityScope waits(Activity::Waits);
  if (milliseconds >= 0)
    return state_.changed.wait_for(lock, std::chrono::milliseconds(milliseconds), done);
  state_.changed.wait(lock, done);
  return true;
}

void EventState::renew_in_child() {
  // One field of a plain type, which is whole even if the parent's thread was writing it.
  const bool had_come = state_.done;
  const double seconds = state_.seconds;
  leave_behind(state_);
  state_.done = true;
  state_.seconds = had_come ? seconds : 0;
}

}  // namespace cuda_device::runtime
