// The code that a kernel is loaded on a GPU with: its PTX, and where there is an assembler a cubin
// for that GPU, which spares the driver's compiler.
#pragma once

#include <string>

#include "abi/kernel_image.h"
#include "runtime/cuda/fat_image.h"

namespace cuda_device::dispatch {

// `key`: of the PTX in the cache on disk; the cubin is kept beside it under the assembler's
// identity. CUDA_DEVICE_IMAGE=ptx leaves cubins out; with CUDA_DEVICE_IMAGE=cubin it is an error
// where none can be made (std::runtime_error).
cuda::FatImage code_for_gpu(const abi::KernelImage& ptx, const std::string& key, int sm);

}  // namespace cuda_device::dispatch
