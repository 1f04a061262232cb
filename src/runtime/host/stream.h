// Streams of the host device: real queues. Work of one stream runs in order, different streams run
// at the same time.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/device.h"
#include "runtime/host/activity.h"
#include "runtime/host/interrupt.h"
#include "runtime/host/ring.h"
#include "support/fork.h"

namespace cuda_device::runtime {

// Set once by record; a new record makes a new state, so waits queued before keep meaning the
// earlier one. In a forked child what was not done is: the work before it stayed with the parent.
class EventState : public Event {
 public:
  int device() const override { return kHostDevice; }
  bool done() const override;
  void complete();
  void when_done(std::function<void()> then) override;
  bool wait(int milliseconds) override;
  double milliseconds_since(const Event& earlier) const override;
  double seconds() const;  // monotonic clock at completion; 0 before, or where it never came

  void renew_in_child();

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    double seconds = 0;
    std::vector<std::function<void()>> continuations;
  };
  mutable State state_;
  ForkHook hook_{this};
};

// How a stream and the default stream of its device wait for each other.
enum class StreamOrder : uint8_t {
  Free,           // they do not
  BesideDefault,  // each operation waits for the earlier ones of the default stream
  Default,        // each operation waits for the earlier ones of all streams beside it
};

// Something to be done in a stream's order. What it returns, or throws, is an error, which the
// stream keeps until the next synchronisation.
class Work {
 public:
  virtual ~Work() = default;
  virtual Error run() = 0;
};

// The work that a function is.
template <class F>
std::unique_ptr<Work> work_of(F function) {
  struct Function : Work {
    explicit Function(F f) : function(std::move(f)) {}
    Error run() override {
      if constexpr (std::is_void_v<decltype(function())>) {
        function();
        return {};
      } else {
        return function();
      }
    }
    F function;
  };
  return std::make_unique<Function>(std::move(function));
}

// A stream is empty and idle in a forked child: what was queued or running belongs to the parent.
class HostStream : public Stream, public std::enable_shared_from_this<HostStream> {
 public:
  using Operation = std::function<Error()>;

  explicit HostStream(StreamOrder order = StreamOrder::Free);
  ~HostStream() override;
  int device() const override { return kHostDevice; }
  uint64_t handle() const override { return reinterpret_cast<uint64_t>(this); }
  StreamOptions options() const override { return {order_ == StreamOrder::Free, true, 0}; }

  // Takes the work, unless it throws.
  void enqueue(std::unique_ptr<Work>& work);
  // The same for a function, as Work::run; it may return nothing where there is no error.
  template <class F>
  void enqueue(F function) {
    std::unique_ptr<Work> work = work_of(std::move(function));
    enqueue(work);
  }
  // Runs the operation on the calling thread when all that was queued before is done; returns when
  // it is done, with its error. Asks while it waits for its turn: once interrupted, the operation
  // is left out. Called by the operation itself (a signal's handler may launch), it does not wait.
  Error run_now(const Operation& operation, Interrupt* interrupt = nullptr);
  void record(std::shared_ptr<EventState> event);
  std::shared_ptr<Event> record(bool timing) override;
  void wait_for(std::shared_ptr<EventState> event);
  void wait_for(const std::shared_ptr<Event>& event) override;
  void call(std::function<void()> function) override;
  bool idle() const override;
  // Whether anything is queued or running that no thread waits for by itself, as run_now does.
  bool owes_work() const;
  // Whether a thread that owns it is at work; how much has gone.
  WorkSeen work_seen() const;
  uint64_t mark() override;
  // Does not wait for an operation that called it.
  bool wait(int milliseconds, uint64_t mark = kAll) override;
  Error take_error() override;

  void renew_in_child();

 private:
  // A thread that waits in run_now until the stream is its own.
  struct Turn {
    bool granted = false;
    std::condition_variable changed;
  };
  struct Item {
    std::unique_ptr<Work> work;
    std::shared_ptr<EventState> await;  // the stream rests until this is done
    Turn* turn = nullptr;               // the stream is this thread's until it gives it back
    // Nothing of these: for a thread that went away.
  };
  // What a thread has taken to be done, at most so much at once: the lock and the queue move from
  // the core of the thread that queues to that of the one that drains once for all of it.
  struct Taken {
    std::array<std::unique_ptr<Work>, 16> works;
    size_t count = 0;
    std::shared_ptr<EventState> await;  // after the works
  };
  enum class Lingerer : uint8_t { None, Waits, Called };
  struct State {
    std::mutex mutex;
    std::condition_variable idle;
    Ring<Item> items;
    bool running = false;  // some thread drains, or the head waits for an event
    // How much came into the stream and how much went, one after the other: so that a waiting
    // thread can wait for what was there when it came. Threads that wait are counted before they
    // look at what went, which is changed before they are looked for: without the lock, too, one of
    // the two sees the other.
    uint64_t entered = 0;
    alignas(64) std::atomic<uint64_t> left{0};
    std::atomic<int> waiting{0};
    bool working = false;  // on what was taken
    // A thread that has drained it stays for a moment: the next launch is often near.
    std::atomic<Lingerer> lingerer{Lingerer::None};
    const ThreadActivity* owner = nullptr;  // of the thread in run_now; null: there is none
    Error error;
    std::shared_ptr<HostStream> alive;  // from when a drain is posted until it begins
  };
  enum class Granted : uint8_t { Yes, Interrupted, Forked };

  // Lets what comes next wait for the streams that its order names.
  void wait_for_others();
  bool waits_for_others() const;
  bool busy_elsewhere() const;  // not idle, nor with an operation that the caller is part of
  void push(Item& item);        // takes it, unless it throws
  void post_drain() noexcept;
  void drain();
  bool take(Taken& taken);
  void take_works(Taken& taken);
  bool run(Taken& taken);
  bool linger();
  bool await(const std::shared_ptr<EventState>& event);
  void run_work(Work& work);
  Granted wait_for_turn(std::unique_lock<std::mutex>& lock, Interrupt* interrupt);
  void give_back();
  void count_one_out();
  void count_last_out();

  const StreamOrder order_;
  mutable State state_;
  ForkHook hook_{this};
};

// The errors, since the last call, of streams that were destroyed without having been synchronised
// with.
Error take_lost_error();

}  // namespace cuda_device::runtime
