#include "dispatch/streams.h"

#include <algorithm>
#include <array>

#include "dispatch/guarded.h"
#include "runtime/cuda/gpu.h"
#include "runtime/host/device.h"
#include "runtime/host/stream_list.h"

namespace cuda_device::dispatch {
// Made at load, since a fork may come at any time afterwards.
Stream* const the_default_stream = [] {
  auto stream = runtime::host_device().default_stream();
  return new Stream(std::static_pointer_cast<runtime::HostStream>(stream));
}();

Stream::Stream(const runtime::StreamOptions& options)
    : Stream(std::static_pointer_cast<runtime::HostStream>(
          runtime::host_device().create_stream(options))) {}

std::vector<std::unique_ptr<Stream>> all_streams(int device) {
  std::vector<std::unique_ptr<Stream>> all;
  if (device == runtime::kHostDevice) {
    all.push_back(std::make_unique<Stream>(
        std::static_pointer_cast<runtime::HostStream>(runtime::host_device().default_stream())));
    for (const auto& stream : runtime::listed_streams())
      all.push_back(std::make_unique<Stream>(stream));
    return all;
  }
  if (!cuda::driver_works()) return all;
  cuda::for_each_context([&](cuda::Context& context) {
    if (context.gpu().number() != device) return;
    for (const auto& stream : context.streams())
      if (stream->own() || (stream->handle() == cuda::kLegacyStream && context.primary()))
        all.push_back(std::make_unique<Stream>(stream));
  });
  return all;
}

runtime::Device& device_of(int number) {
  if (number == runtime::kHostDevice) return runtime::host_device();
  return cuda::gpu(number);
}

Stream* default_stream_of(int device) {
  if (device == runtime::kHostDevice) return the_default_stream;
  static constinit std::array<MadeOnce<Stream*>, cuda::Gpu::kMost> made;
  cuda::Gpu& gpu = cuda::gpu(device);
  return made[static_cast<size_t>(device)].get(
      [&gpu] { return new Stream(gpu.context().stream_of(cuda::kLegacyStream)); });
}

bool is_idle(const Stream& stream) {
  if (stream.stream->idle()) return true;
  cuda::look_for_losses();
  return false;
}

void wait(Stream& stream, uint64_t mark, int milliseconds, Outcome* outcome) {
  if (!stream.stream->wait(milliseconds, mark)) {
    cuda::look_for_losses();
    outcome->status = Status::Timeout;
  } else if (runtime::Error error = stream.stream->take_error(); !error.empty()) {
    set_fault(outcome, std::move(error));
  }
}

std::vector<int> used_gpus() {
  std::vector<int> gpus;
  if (!cuda::driver_works()) return gpus;
  cuda::for_each_context([&](cuda::Context& context) {
    const int gpu = context.gpu().number();
    if (!context.primary() || (context.lost() && context.told())) return;
    if (std::ranges::find(gpus, gpu) == gpus.end()) gpus.push_back(gpu);
  });
  return gpus;
}

void wait_for_gpu(int device) {
  if (!cuda::driver_works()) return;
  cuda::for_each_context([=](cuda::Context& context) {
    if (context.gpu().number() == device && (context.primary() || context.uses_anything()))
      context.synchronize();
  });
}

}  // namespace cuda_device::dispatch
