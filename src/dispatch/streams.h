// Streams by their handles, and all that there are.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "dispatch/rt_api.h"
#include "runtime/cuda/gpu_stream.h"
#include "runtime/host/stream.h"

namespace cuda_device::dispatch {

// A handle counts its holders; queued work holds the stream itself, which may outlive its handles.
// One of the two pointers is null: launches go to either without a virtual call.
struct Stream {
  explicit Stream(const runtime::StreamOptions& options);  // a new one of the host
  explicit Stream(const std::shared_ptr<runtime::HostStream>& of) : stream(of), host(of.get()) {}
  explicit Stream(const std::shared_ptr<cuda::GpuStream>& of)
      : stream(of), gpu(of.get()), device(of->device()) {}
  const std::shared_ptr<runtime::Stream> stream;
  runtime::HostStream* const host = nullptr;
  cuda::GpuStream* const gpu = nullptr;
  const int device = runtime::kHostDevice;
  std::atomic<int> holders{1};
};

extern Stream* const the_default_stream;  // of the host; outlives every thread

// Whether nothing is queued or running.
bool is_idle(const Stream& stream);
// Waits at most so many milliseconds (-1: for ever) for what came before the mark. Takes the
// stream's error.
void wait(Stream& stream, uint64_t mark, int milliseconds, Outcome* outcome);

// Those of a device that have a handle, or work to do.
std::vector<std::unique_ptr<Stream>> all_streams(int device);

runtime::Device& device_of(int number);  // throws where there is none
// The stream of launches without one; stays.
Stream* default_stream_of(int device);

// GPUs with a context of this process that can be waited for, or that was lost and not yet
// reported.
std::vector<int> used_gpus();
// Waits for all work of the GPU, other libraries' too.
void wait_for_gpu(int device);

}  // namespace cuda_device::dispatch
