#include "runtime/host/stream.h"

#include <chrono>
#include <utility>

#include "runtime/host/pool.h"

namespace cuda_device::runtime {
namespace {

template <class Predicate>
bool wait_until(std::condition_variable& condition, std::unique_lock<std::mutex>& lock,
                int milliseconds, Predicate predicate) {
  if (milliseconds >= 0)
    return condition.wait_for(lock, std::chrono::milliseconds(milliseconds), predicate);
  condition.wait(lock, predicate);
  return true;
}

}  // namespace

bool EventState::done() const {
  std::lock_guard lock(mutex_);
  return done_;
}

void EventState::complete() {
  std::vector<std::function<void()>> continuations;
  {
    std::lock_guard lock(mutex_);
    done_ = true;
    seconds_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    continuations.swap(continuations_);
    changed_.notify_all();
  }
  for (auto& then : continuations) then();
}

void EventState::when_done(std::function<void()> then) {
  {
    std::lock_guard lock(mutex_);
    if (!done_) {
      continuations_.push_back(std::move(then));
      return;
    }
  }
  then();
}

bool EventState::wait(int milliseconds) {
  std::unique_lock lock(mutex_);
  return wait_until(changed_, lock, milliseconds, [this] { return done_; });
}

void HostStream::push(Item item) {
  {
    std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    if (running_) return;
    running_ = true;
  }
  pool().post([self = shared_from_this()] { self->drain(); });
}

void HostStream::enqueue(Operation operation) { push({std::move(operation), nullptr}); }

void HostStream::record(std::shared_ptr<EventState> event) {
  enqueue([event = std::move(event)] {
    event->complete();
    return std::string();
  });
}

void HostStream::wait_for(std::shared_ptr<EventState> event) { push({nullptr, std::move(event)}); }

// Runs items until none is left, or the head waits for an event: then the event's completion goes
// on from there.
void HostStream::drain() {
  for (;;) {
    Item item;
    {
      std::lock_guard lock(mutex_);
      if (items_.empty()) {
        running_ = false;
        idle_.notify_all();
        return;
      }
      item = std::move(items_.front());
      items_.pop_front();
    }
    if (item.await) {
      item.await->when_done(
          [self = shared_from_this()] { pool().post([self] { self->drain(); }); });
      return;
    }
    run_item(item);
  }
}

void HostStream::run_item(Item& item) {
  std::string error = item.operation();
  if (error.empty()) return;
  std::lock_guard lock(mutex_);
  if (error_.empty()) error_ = std::move(error);
}

std::string HostStream::run_now(const Operation& operation) {
  auto event = std::make_shared<EventState>();
  std::string error;
  {
    std::lock_guard lock(mutex_);
    if (!running_) {
      running_ = true;
      event = nullptr;
    } else {
      // The caller waits below, so what this refers to outlives it.
      items_.push_back({[&operation, &error, event] {
                          error = operation();
                          event->complete();
                          return std::string();
                        },
                        nullptr});
    }
  }
  if (event) {
    event->wait(-1);
    return error;
  }
  error = operation();
  finish_running();
  return error;
}

void HostStream::finish_running() {
  {
    std::lock_guard lock(mutex_);
    if (items_.empty()) {
      running_ = false;
      idle_.notify_all();
      return;
    }
  }
  pool().post([self = shared_from_this()] { self->drain(); });
}

bool HostStream::idle() const {
  std::lock_guard lock(mutex_);
  return !running_;
}

bool HostStream::wait(int milliseconds) {
  std::unique_lock lock(mutex_);
  return wait_until(idle_, lock, milliseconds, [this] { return !running_; });
}

std::string HostStream::take_error() {
  std::lock_guard lock(mutex_);
  return std::exchange(error_, std::string());
}

}  // namespace cuda_device::runtime
