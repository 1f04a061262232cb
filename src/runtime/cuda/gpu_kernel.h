// A kernel's image, loaded once for all GPUs that run its code, and launches of it: on a stream, or
// on arrays in host memory, which are copied over and back.
#pragma once

#include <array>
#include <memory>
#include <mutex>

#include "abi/kernel_image.h"
#include "runtime/cuda/fat_image.h"
#include "runtime/cuda/gpu.h"
#include "runtime/cuda/load_library.h"

namespace cuda_device::cuda {

class GpuKernel {
 public:
  // `code` of the image, for GPUs of this architecture. Throws DriverError, with the driver's
  // compile log.
  GpuKernel(const abi::KernelImage& image, const FatImage& code, int sm);
  GpuKernel(const GpuKernel&) = delete;
  GpuKernel& operator=(const GpuKernel&) = delete;
  ~GpuKernel();

  // Queues it. The context is current; `params` may change when this has returned. Throws
  // DriverError.
  void launch(Context& context, CUstream stream, const void* params,
              const abi::LaunchDims& dims) const;
  // On GPU 0. Returns when the kernel is done and the arrays that may be written are back. Throws
  // DriverError.
  void run_on_host_arrays(const void* params, const abi::LaunchDims& dims) const;
  // "'add' (program.py:12)"
  std::string described() const;

 private:
  void opt_in(Context& context, uint32_t shared) const;
  abi::ParamLayout layout_;
  std::string name_, source_;
  uint32_t static_shared_;
  LoadedLibrary code_;
  uint64_t stack_ = 0;  // bytes that a thread needs; 0: the driver knows
  // Bytes of dynamic shared memory that each GPU was told of.
  mutable std::mutex opting_in_;
  mutable std::array<std::atomic<uint32_t>, Gpu::kMost> opted_in_{};
};

}  // namespace cuda_device::cuda
