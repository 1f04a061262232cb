// Log lines of launches.
#pragma once

#include "dispatch/compiled.h"
#include "runtime/host/stream.h"
#include "support/log.h"

namespace cuda_device::dispatch {

void describe(log::Event& event, const Compiled& compiled, const abi::LaunchDims& dims);

// Runs a launch of the host, when its turn has come. `stream`: that it was queued on; null: the
// caller waits.
runtime::Error run_logged(const Compiled& compiled, const void* params, const abi::LaunchDims& dims,
                          const runtime::HostStream* stream, runtime::Interrupt* interrupt);

}  // namespace cuda_device::dispatch
