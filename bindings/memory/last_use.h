// Where memory that a GPU reaches was used last: a use elsewhere comes after that.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "bindings/memory/ordering.h"

namespace cuda_device::bindings {

// The functions are called with the GIL, and let go of it while they ask the driver. An ordering
// without a stream means the default one of the GPU.
class LastUse {
 public:
  // `first`: of the allocation.
  LastUse(int gpu, Ordering first)
      : gpu_(gpu), last_(std::move(first)), queue_(last_.queue()), object_(last_.object()) {}
  LastUse(const LastUse&) = delete;
  LastUse& operator=(const LastUse&) = delete;

  // What is queued there from now on comes after, and is the last use.
  void move_to(const Ordering& next) {
    if (!is_at(next)) move(next);
  }
  // When that was queued: another thread may have moved it meanwhile, and only the thread itself
  // can tell how far its own default stream is.
  void was_queued(const Ordering& where) {
    if (where.of_one_thread())
      move_and_record(where);
    else
      move_to(where);
  }
  // Nothing is queued on it: the first use comes after nothing.
  void is_idle() { idle_ = true; }
  bool idle() {
    const std::lock_guard lock(mutex_);
    return idle_;
  }
  // The stream of a producer that knows nothing of our work and is to come after it.
  void hand_back_to(Ordering producer) { producer_ = std::move(producer); }
  // What the producer queues from now on comes after what was queued here.
  void hand_back() {
    if (producer_.stream()) before(producer_);
  }
  // For work of ours that may go anywhere: a stream of the GPU, where it is after without waiting.
  Ordering go_on();
  // What is queued on the stream from now on comes after, and is not known here.
  void before(const Ordering& other);
  // The calling thread waits; Ctrl-C ends that.
  void wait();
  // The same for work that must not be left.
  void wait_to_the_end();

  // --- of the end, with the GIL or without ---
  // False while a stream is being captured: to be asked again later. Where it fails, because the
  // GPU is lost or a stream is gone, all that the GPU does is waited for.
  bool before_freeing(dispatch::Stream* stream) noexcept;

 private:
  using EventHandle = std::shared_ptr<dispatch::Event>;
  // A cheap test that mostly suffices: made twice on each launch, for each of its arrays. A stream
  // that was just given is not closed. The thread that moves the use publishes it after the
  // driver's calls that others rely on; an object that is read beside another queue's is not taken.
  bool is_at(const Ordering& next) const {
    return next.queue() && queue_.load(std::memory_order_acquire) == next.queue() &&
           object_.load(std::memory_order_acquire) == next.object() &&
           queue_.load(std::memory_order_relaxed) == next.queue();
  }
  void move(const Ordering& next);
  void move_and_record(const Ordering& next);
  void leave_closed();
  // Called with the mutex held, without the GIL:
  dispatch::Stream* stream_of(const Ordering& ordering, dispatch::Outcome* outcome) const;
  EventHandle event(dispatch::Outcome* outcome) const;
  void order(dispatch::Stream* stream, dispatch::Outcome* outcome) const;
  // These return what is to be let go of without the mutex.
  Ordering set(Ordering next);
  Ordering moved(const Ordering& next, dispatch::Outcome* outcome);

  const int gpu_;
  std::mutex mutex_;  // never waited for with the GIL
  Ordering last_;
  Ordering producer_;  // set once, before others see this
  bool idle_ = false;
  // What last_ is told apart by, for is_at.
  std::atomic<const void*> queue_, object_;
  EventHandle event_;  // after the last use, where other threads cannot ask its stream
};

}  // namespace cuda_device::bindings
