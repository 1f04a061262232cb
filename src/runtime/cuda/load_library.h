// Loads the code of a kernel that is best for a GPU.
#pragma once

#include <string>

#include "runtime/cuda/driver_types.h"
#include "runtime/cuda/fat_image.h"

namespace cuda_device::cuda {

// Where the driver refuses one, the next best is tried. Throws DriverError with what it says of the
// last, and the log of its compiler. `kernel`: for messages. A context is current.
CUlibrary load_library(const FatImage& code, int sm, const std::string& kernel);

}  // namespace cuda_device::cuda
