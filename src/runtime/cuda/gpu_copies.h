// Copies that take part of a GPU's memory, or of memory that it reaches, on its streams, which are
// named by their handles.
#pragma once

#include <cstdint>

#include "runtime/cuda/driver_types.h"
#include "runtime/memory/strided_copy.h"

namespace cuda_device::cuda {

// Queues the copy; memory of the process that is not pinned has been read when this returns, and
// is written before it does. `gpu`: the one whose stream it is. Throws DriverError.
void copy(int gpu, const runtime::StridedCopy& copy, uint64_t stream);

// Writes `count` elements of 1, 2 or 4 bytes.
void fill(int gpu, CUdeviceptr to, uint32_t element, int element_bytes, uint64_t count,
          uint64_t stream);

}  // namespace cuda_device::cuda
