// Streams of the host device: real queues. Work of one stream runs in order, different streams run
// at the same time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace cuda_device::runtime {

// Set once by record; a new record makes a new state, so waits queued before keep meaning the
// earlier one.
class EventState {
 public:
  bool done() const;
  void complete();
  // Runs `then` when done: at once if it is already.
  void when_done(std::function<void()> then);
  bool wait(int milliseconds);
  double seconds() const { return seconds_; }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  double seconds_ = 0;
  std::vector<std::function<void()>> continuations_;
};

class HostStream : public std::enable_shared_from_this<HostStream> {
 public:
  // An operation returns an error text, empty if all went well; it is kept until the next
  // synchronisation.
  using Operation = std::function<std::string()>;

  void enqueue(Operation operation);
  // Runs the operation on the calling thread where nothing is queued or running, else queues it;
  // returns when it is done, with its error.
  std::string run_now(const Operation& operation);
  void record(std::shared_ptr<EventState> event);
  void wait_for(std::shared_ptr<EventState> event);
  bool idle() const;
  // False on timeout (milliseconds < 0: none).
  bool wait(int milliseconds);
  // The first error since the last call.
  std::string take_error();

 private:
  struct Item {
    Operation operation;
    std::shared_ptr<EventState> await;  // the stream rests until this is done
  };
  void push(Item item);
  void drain();
  void run_item(Item& item);
  void finish_running();

  mutable std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<Item> items_;
  bool running_ = false;  // some thread drains, or the head waits for an event
  std::string error_;
};

}  // namespace cuda_device::runtime
