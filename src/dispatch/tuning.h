// Which of the compiler's heuristics kernels are compiled with, as the environment says.
#pragma once

#include <string>

#include "support/tuning.h"

namespace cuda_device::dispatch {

// CUDA_DEVICE_TUNING, read for every compilation; throws as parse_tuning does.
Tuning tuning_wanted();

// A line for each heuristic, "tuning name=what it is for", those that are off with "(off)".
std::string tuning_text();

}  // namespace cuda_device::dispatch
