// What memory needs of a GPU: its context, current for a scope, and captures of graphs left alone.
#pragma once

#include "runtime/cuda/context.h"
#include "runtime/cuda/gpu.h"

namespace cuda_device::cuda {

class OnGpu {
 public:
  // Throws DriverError, where the context is lost too.
  explicit OnGpu(int number) : gpu_(gpu(number)), current_(usable(gpu_).handle()) {}
  CUdevice handle() const { return gpu_.device(); }
  Context& context() const { return gpu_.context(); }
  // Throws DriverError; remembers what loses the context, and tells of it.
  void check(CUresult result, const char* what) const { gpu_.context().check(result, what); }
  // Notes a result that is not reported here.
  void note(CUresult result) const { gpu_.context().note(result); }

 private:
  static Context& usable(Gpu& gpu) {
    gpu.context().throw_if_lost();
    return gpu.context();
  }

  Gpu& gpu_;  // looks for the driver
  const BesideCaptures allowed_;
  const CurrentContext current_;
};

}  // namespace cuda_device::cuda
