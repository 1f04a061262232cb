// Events by their handles.
#pragma once

#include <memory>
#include <mutex>

#include "dispatch/rt_api.h"
#include "dispatch/streams.h"
#include "support/fork.h"

namespace cuda_device::dispatch {

class Event {
 public:
  // The event of the last record; null before.
  std::shared_ptr<runtime::Event> current() const {
    std::lock_guard lock(mutex);
    return state_;
  }
  void record(Stream& stream, bool timing);
  // One that was not recorded is done.
  bool is_done() const;
  // Waits at most so many milliseconds (-1: for ever). Errors of what happened before it are
  // reported.
  void wait(int milliseconds, Outcome* outcome) const;

 private:
  void set(std::shared_ptr<runtime::Event> state) {
    std::lock_guard lock(mutex);
    state_.swap(state);  // the old one goes when the lock is free
  }
  static ForkMutex mutex;  // of all events: held for a copy of a pointer
  std::shared_ptr<runtime::Event> state_;
};

// Throws where one has no time, or they have no clock in common.
double milliseconds_between(const Event& earlier, const Event& later);

}  // namespace cuda_device::dispatch
