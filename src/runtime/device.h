// What every device offers, whatever it is: queues of work that run in order and beside each other,
// and events that order them, across devices too. The host device is runtime/host, NVIDIA's GPUs
// are runtime/cuda. How a kernel is put on a queue is each device's own affair: a launch knows its
// device, and goes through no virtual call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "abi/memory_kind.h"
#include "abi/stream_options.h"
#include "runtime/error.h"

namespace cuda_device::runtime {

using abi::kHostDevice;  // as Device::number(); GPUs are counted from 0, as the CUDA driver does
using abi::StreamOptions;

// Recorded once, at a point of a stream's work; a new record makes a new event, so that waits
// queued before keep meaning the earlier one.
class Event {
 public:
  virtual ~Event() = default;
  virtual int device() const = 0;
  virtual bool done() const = 0;
  // False on timeout (milliseconds < 0: none).
  virtual bool wait(int milliseconds) = 0;
  // Runs `then` when done: at once if it is already, else on a thread of the runtime or of the
  // driver, where it must neither wait nor call the driver. Runs it too when the device is lost.
  virtual void when_done(std::function<void()> then) = 0;
  // Throws std::runtime_error where one of the two has no time, or their clocks differ.
  virtual double milliseconds_since(const Event& earlier) const = 0;
  // Why what came before it was not all done; empty mostly.
  virtual std::string error() const { return ""; }
};

// A queue: its work is done in order, beside that of other streams.
class Stream {
 public:
  static constexpr uint64_t kAll = UINT64_MAX;
  virtual ~Stream() = default;
  virtual int device() const = 0;
  virtual uint64_t handle() const = 0;
  virtual StreamOptions options() const = 0;  // with its priority
  // Nothing is queued or running.
  virtual bool idle() const = 0;
  // A number for all that is queued now, which can be waited for. kAll where there is none.
  virtual uint64_t mark() = 0;
  // Until what came before the mark is done, whatever other threads queue meanwhile. False on
  // timeout (milliseconds < 0: none).
  virtual bool wait(int milliseconds, uint64_t mark = kAll) = 0;
  // The first error since the last call, and what the later ones were. That of a lost device stays.
  virtual Error take_error() = 0;
  virtual std::shared_ptr<Event> record(bool timing) = 0;
  // What is queued from now on waits for an event of any device.
  virtual void wait_for(const std::shared_ptr<Event>& event) = 0;
  // Calls a function of the host in the stream's order, as Event::when_done does.
  virtual void call(std::function<void()> function) = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual int number() const = 0;
  virtual std::string name() const = 0;
  virtual std::string uuid() const = 0;  // sixteen bytes, in hexadecimal with dashes
  virtual int architecture() const = 0;  // 90 for compute capability 9.0
  // The attribute of that name in device_attributes.def; throws std::invalid_argument for others.
  virtual int attribute(const std::string& name) const = 0;
  virtual std::shared_ptr<Stream> create_stream(const StreamOptions& options) = 0;
  // The stream of launches that name none.
  virtual std::shared_ptr<Stream> default_stream() = 0;
};

}  // namespace cuda_device::runtime
