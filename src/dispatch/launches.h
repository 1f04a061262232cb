// A launch from its key on: compiled where it is new, then run, or queued on a stream, and logged.
#pragma once

#include "dispatch/rt_api.h"

namespace cuda_device::dispatch {

// Throws where the system or a GPU fails; what else goes wrong is in the outcome.
void launch(const LaunchRequest& request, Outcome* outcome);

}  // namespace cuda_device::dispatch
