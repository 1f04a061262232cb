// A launch from its key to its place: compiled where it is new, then run, or put into a stream's
// queue, and told to the log.
#pragma once

#include "dispatch/rt_api.h"

namespace cuda_device::dispatch {

// Throws where the system or a GPU fails; what else goes wrong is in the outcome.
void launch(const LaunchRequest& request, Outcome* outcome);

}  // namespace cuda_device::dispatch
