// Where a launch runs: its stream says so, else the arrays, in the order in which they come.
#pragma once

#include <cstdint>

#include "abi/memory_kind.h"
#include "bindings/errors.h"
#include "dispatch/rt_api.h"

namespace cuda_device::bindings {

using abi::kHostDevice;

class LaunchDevice {
 public:
  // The device of a launch on this stream; null: it names no stream.
  explicit LaunchDevice(dispatch::Stream* stream) : stream_(stream) {
    if (stream) device_ = cd_rt_stream_device(stream);
  }
  // The device of a query without a launch: arrays of all devices are taken, and nothing is waited
  // for.
  struct Question {};
  explicit LaunchDevice(Question) : question_(true) {}
  LaunchDevice(const LaunchDevice&) =
      delete;  // a copy in the path of a launch would wait for its fields

  bool has_stream() const { return stream_ != nullptr; }
  bool runs_on(int device) const { return device_ == device || question_; }
  bool asks_nothing() const { return question_; }
  bool undecided() const { return device_ == kUndecided; }
  int device() const { return device_; }
  // No array so far may be in use on a GPU: mostly.
  bool plainly_on_host() const { return device_ == kHostDevice && !gpu_reaches_; }
  bool gpu_reaches() const { return gpu_reaches_; }
  void note_gpu_reaches() { gpu_reaches_ = true; }
  // Argument whose array decided; -1: none.
  int decided_by() const { return decided_by_; }
  void decide(int device, int argument) {
    device_ = device;
    decided_by_ = argument;
  }
  void note_managed(int gpu) {
    managed_ = gpu;
    gpu_reaches_ = true;
  }
  void note_pinned() { pinned_ = true; }
  int managed_on() const { return managed_; }  // -1: nothing

  // What DLPack's producers order their work before: 1 and 2 are default streams, -1 asks for
  // nothing.
  int64_t dlpack_stream() const {
    if (question_) return -1;
    return stream_ && device_ != kHostDevice ? static_cast<int64_t>(cd_rt_stream_handle(stream_))
                                             : 1;
  }

  // After the last argument: the device, with the default one where nothing has decided. Throws
  // LaunchError.
  int settled() const;

 private:
  static constexpr int kUndecided = -2;
  dispatch::Stream* const stream_ = nullptr;
  int device_ = kUndecided;
  int decided_by_ = -1;
  int managed_ = -1;  // a GPU with such an array
  bool pinned_ = false, gpu_reaches_ = false;
  const bool question_ = false;
};

}  // namespace cuda_device::bindings
