// Loads the code of a kernel that is best for a GPU.
#pragma once

#include <memory>
#include <string>

#include "runtime/cuda/driver_types.h"
#include "runtime/cuda/fat_image.h"

namespace cuda_device::cuda {

struct LoadedLibrary {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  // The driver may write to it as long as there is the library: whenever another GPU needs it.
  std::unique_ptr<char[]> log;
};

// Where the driver refuses one, the next best is tried. Throws DriverError with what it says of the
// last, and the log of its compiler. `kernel`: for messages; `entry`: its name in the code. A
// context is current.
LoadedLibrary load_library(const FatImage& code, int sm, const std::string& kernel,
                           const std::string& entry);

}  // namespace cuda_device::cuda
