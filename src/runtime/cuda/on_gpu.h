// What memory needs of a GPU: its handle, and its context current for a scope.
#pragma once

#include "runtime/cuda/context.h"
#include "runtime/cuda/gpu.h"

namespace cuda_device::cuda {

class OnGpu {
 public:
  explicit OnGpu(int number) : gpu_(gpu(number)), current_(gpu_.context().handle()) {}
  CUdevice handle() const { return gpu_.device(); }

 private:
  Gpu& gpu_;
  const CurrentContext current_;
};

}  // namespace cuda_device::cuda
