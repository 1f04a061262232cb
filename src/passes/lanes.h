// What passes know of a target whose threads are lanes of vectors.
#pragma once

#include <cstdint>

namespace cuda_device::passes {

struct Lanes {
  uint32_t register_bytes = 64;  // of one lane, in all vector registers together
};

}  // namespace cuda_device::passes
