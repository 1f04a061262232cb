// Streams by their handles, and all that there are.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/host/stream.h"

namespace cuda_device::rt {

// A handle counts who holds it; queued work holds the stream itself, which may outlive its handles.
struct Stream {
  Stream();
  explicit Stream(std::shared_ptr<runtime::HostStream> of) : stream(std::move(of)) {}
  const std::shared_ptr<runtime::HostStream> stream;
  std::atomic<int> holders{1};
};

// Those that have a handle, or work to do.
std::vector<std::shared_ptr<runtime::HostStream>> all_streams();

}  // namespace cuda_device::rt
