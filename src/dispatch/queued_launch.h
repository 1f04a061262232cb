// Launches that wait in a queue of the host.
#pragma once

#include <memory>

#include "dispatch/compiled.h"

namespace cuda_device::dispatch {

// Copies the request's parameters; its owner is handed back when the launch is done. Where this
// throws, the owner is still the caller's.
void enqueue(const LaunchRequest& request, std::shared_ptr<const Compiled> compiled);

}  // namespace cuda_device::dispatch
