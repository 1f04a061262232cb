// A PTX image loaded on GPU 0, and a launch of it on arrays in host memory: they are copied over
// and back.
#pragma once

#include <memory>

#include "abi/kernel_image.h"
#include "runtime/cuda/driver.h"

namespace cuda_device::cuda {

class GpuKernel {
 public:
  explicit GpuKernel(
      const abi::KernelImage& image);  // throws DriverError, with the driver's compile log
  GpuKernel(const GpuKernel&) = delete;
  GpuKernel& operator=(const GpuKernel&) = delete;

  // Returns when the kernel is done and the arrays that may be written are back. Throws
  // DriverError.
  void run_on_host_arrays(const void* params, const abi::LaunchDims& dims) const;

 private:
  struct Unload {
    void operator()(CUlibrary library) const { driver().library_unload(library); }
  };
  void load(const abi::KernelImage& image);
  void launch(char* params, const abi::LaunchDims& dims) const;
  abi::ParamLayout layout_;
  std::string name_;
  uint32_t static_shared_;
  std::unique_ptr<CUlib_st, Unload> library_;
  CUkernel kernel_ = nullptr;
};

}  // namespace cuda_device::cuda
