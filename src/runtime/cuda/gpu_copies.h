// Copies that take part of a GPU's memory, or of memory that it reaches, on its streams.
#pragma once

#include <cstdint>

#include "runtime/cuda/driver_types.h"
#include "runtime/memory/strided_copy.h"

namespace cuda_device::cuda {

// Queues the copy; memory of the process that is not pinned has been read when this returns, and
// is written before it does. `gpu`: the one whose stream it is. Throws DriverError.
void copy(int gpu, const runtime::StridedCopy& copy, CUstream stream);

// Writes `count` elements of 1, 2 or 4 bytes.
void fill(int gpu, CUdeviceptr to, uint32_t element, int element_bytes, uint64_t count,
          CUstream stream);

// What is queued on `later` from now on comes behind all that `earlier` holds now.
void order_behind(int gpu, CUstream later, CUstream earlier);

void wait_for(int gpu, CUstream stream);

}  // namespace cuda_device::cuda
