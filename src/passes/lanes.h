// What passes know of a target whose threads are lanes of vectors.
#pragma once

#include <cstdint>
#include <span>

#include "support/tuning.h"

namespace cuda_device::passes {

struct Lanes {
  uint32_t register_bytes = 64;              // of one lane, in all vector registers together
  std::span<const uint32_t> gangs = kWarps;  // widths that a gang may get
  Tuning tuning = {};                        // run_pipeline sets that of its options

  static constexpr uint32_t kWarps[] = {32, 64};
};

}  // namespace cuda_device::passes
