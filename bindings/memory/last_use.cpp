#include "bindings/memory/last_use.h"

#include "bindings/errors.h"

namespace cuda_device::bindings {
namespace {

std::shared_ptr<dispatch::Event> new_event() { return {cd_rt_event_create(), cd_rt_event_release}; }

// A graph that is being captured waits for nothing outside of it: the thread does, and whatever
// launches the graph comes later.
bool waits_outside(const Ordering& last, dispatch::Stream* stream) {
  return cd_rt_stream_captured(stream) && !(last.stream() && cd_rt_stream_captured(last.stream()));
}

bool good(const dispatch::Outcome& outcome) { return outcome.status == dispatch::Status::Ok; }

bool same_queue(const dispatch::Stream* one, const dispatch::Stream* other) {
  return cd_rt_stream_queue(one) == cd_rt_stream_queue(other);
}

}  // namespace

dispatch::Stream* LastUse::stream_of(const Ordering& ordering, dispatch::Outcome* outcome) const {
  return ordering.stream() ? ordering.stream() : cd_rt_device_default_stream(gpu_, outcome);
}

LastUse::EventHandle LastUse::event(dispatch::Outcome* outcome) const {
  if (event_) return event_;
  EventHandle made = new_event();
  dispatch::Stream* const last = stream_of(last_, outcome);
  if (!last) return made;
  dispatch::Outcome found;
  cd_rt_event_record(made.get(), last, false, &found);
  // Another library may have destroyed its stream under the object.
  if (!good(found) && last_.keeps_an_object()) return cd_rt_gpu_sync(gpu_, outcome), made;
  *outcome = found;
  return made;
}

void LastUse::order(dispatch::Stream* stream, dispatch::Outcome* outcome) const {
  const EventHandle after = event(outcome);
  if (!good(*outcome)) return;
  if (waits_outside(last_, stream))
    cd_rt_event_sync(after.get(), -1, outcome);
  else
    cd_rt_stream_wait(stream, after.get(), outcome);
}

// The progress of a stream that its library has destroyed cannot be asked; its work may still run.
void LastUse::leave_closed() {
  Ordering known;
  {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;  // another thread is about to move it
    known = last_;
  }
  if (!known.closed()) return;
  without_gil([&](dispatch::Outcome* outcome) {
    cd_rt_gpu_sync(gpu_, outcome);
    const std::lock_guard lock(mutex_);
    if (good(*outcome) && last_.stream() == known.stream()) (void)set({});
  });
}

// Meanwhile it is at no queue.
Ordering LastUse::set(Ordering next) {
  queue_.store(nullptr, std::memory_order_relaxed);
  object_.store(next.object(), std::memory_order_release);
  queue_.store(next.queue(), std::memory_order_release);
  return std::exchange(last_, std::move(next));
}

// A use without a stream was on the default one: that this is the same is found out once.
Ordering LastUse::moved(const Ordering& next, dispatch::Outcome* outcome) {
  if (std::exchange(idle_, false)) return set(next);
  dispatch::Stream* const to = stream_of(next, outcome);
  dispatch::Stream* const from = to ? stream_of(last_, outcome) : nullptr;
  if (!from) return {};
  const bool stays = same_queue(from, to);
  if (!stays) order(to, outcome);
  if (!good(*outcome)) return {};
  const bool known = last_.stream() || !next.stream();
  if (stays && known && last_.object() == next.object()) return {};
  event_.reset();
  return set(next);
}

void LastUse::move(const Ordering& next) {
  leave_closed();
  Ordering left;  // let go of without the mutex
  without_gil([&](dispatch::Outcome* outcome) {
    const std::lock_guard lock(mutex_);
    left = moved(next, outcome);
  });
}

void LastUse::move_and_record(const Ordering& next) {
  leave_closed();
  Ordering left;
  without_gil([&](dispatch::Outcome* outcome) {
    const std::lock_guard lock(mutex_);
    left = moved(next, outcome);
    if (!good(*outcome)) return;
    EventHandle after = new_event();
    cd_rt_event_record(after.get(), next.stream(), false, outcome);
    if (good(*outcome)) event_ = std::move(after);
  });
}

Ordering LastUse::go_on() {
  leave_closed();
  Ordering last;
  bool stays = false;
  without_gil([&](dispatch::Outcome*) {
    const std::lock_guard lock(mutex_);
    last = last_;
    idle_ = false;  // what is queued there now, others come after
    const bool of_this_gpu = !last.stream() || cd_rt_stream_device(last.stream()) == gpu_;
    stays = of_this_gpu && !event_;
  });
  if (!stays) last = {};
  if (!last.stream()) last = Ordering(default_stream_of(gpu_), nullptr);
  if (!stays) move_to(last);
  return last;
}

void LastUse::before(const Ordering& other) {
  leave_closed();
  without_gil([&](dispatch::Outcome* outcome) {
    const std::lock_guard lock(mutex_);
    dispatch::Stream* const stream = stream_of(other, outcome);
    dispatch::Stream* const last = stream ? stream_of(last_, outcome) : nullptr;
    if (last && !same_queue(last, stream)) order(stream, outcome);
  });
}

void LastUse::wait() {
  leave_closed();
  EventHandle after;
  without_gil([&](dispatch::Outcome* outcome) {
    const std::lock_guard lock(mutex_);
    after = event(outcome);
  });
  sync_event(after.get());
}

void LastUse::wait_to_the_end() {
  without_gil([&](dispatch::Outcome* outcome) {
    EventHandle after;
    {
      const std::lock_guard lock(mutex_);
      after = event(outcome);
    }
    if (good(*outcome)) cd_rt_event_sync(after.get(), -1, outcome);
  });
}

// The memory has no other references any more.
bool LastUse::before_freeing(dispatch::Stream* stream) noexcept {
  if (last_.keeps_an_object() && Py_IsInitialized()) try {
      const WithGil gil;
      const nb::error_scope raised;  // an exception may be why the memory goes
      leave_closed();
    } catch (...) {
      // Asked again below.
    }
  dispatch::Outcome outcome;
  dispatch::Stream* const to = stream ? stream : cd_rt_device_default_stream(gpu_, &outcome);
  dispatch::Stream* const last = to ? stream_of(last_, &outcome) : nullptr;
  if (last && (cd_rt_stream_captured(last) || cd_rt_stream_captured(to))) return false;
  if (last && !event_ && same_queue(last, to)) return true;
  if (last) order(to, &outcome);
  if (good(outcome)) return true;
  dispatch::Outcome lost;
  cd_rt_gpu_sync(gpu_, &lost);
  return true;
}

}  // namespace cuda_device::bindings
