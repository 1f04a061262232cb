// What a kernel asks of the code of a GPU, so that more of its blocks fit on a multiprocessor. 0:
// nothing.
#pragma once

#include <cstdint>

namespace cuda_device {

struct LaunchBounds {
  uint32_t max_registers = 0;  // of a thread
  uint32_t min_blocks = 0;     // that a multiprocessor holds at once
  friend bool operator==(const LaunchBounds&, const LaunchBounds&) = default;
};

}  // namespace cuda_device
