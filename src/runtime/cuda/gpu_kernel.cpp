#include "runtime/cuda/gpu_kernel.h"

#include <cstring>
#include <vector>

#include "runtime/cuda/array_copies.h"

namespace cuda_device::cuda {

GpuKernel::GpuKernel(const abi::KernelImage& image)
    : layout_(image.params), name_(image.name), static_shared_(image.static_shared) {
  CurrentContext current(gpu0());
  load(image);
}

void GpuKernel::load(const abi::KernelImage& image) {
  const Driver& d = driver();
  char log[8192] = "";
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferSizeBytes};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CUlibrary library = nullptr;
  const CUresult result =
      d.library_load(&library, image.code.data(), options, values, 2, nullptr, nullptr, 0);
  if (result != kSuccess) {
    try {
      d.check(result, ("loading kernel '" + name_ + "' on the GPU").c_str());
    } catch (const DriverError& e) {
      throw DriverError(std::string(e.what()) + (log[0] ? std::string("\n") + log : ""));
    }
  }
  library_.reset(library);
  d.check(d.library_kernel(&kernel_, library, image.entry_name.c_str()),
          "finding the kernel in its image");
}

void GpuKernel::run_on_host_arrays(const void* params, const abi::LaunchDims& dims) const {
  CurrentContext current(gpu0());
  std::vector<char> own(layout_.size);
  std::memcpy(own.data(), params, layout_.size);
  ArrayCopies copies(layout_, own.data());
  launch(own.data(), dims);
  copies.copy_back();
}

void GpuKernel::launch(char* params, const abi::LaunchDims& dims) const {
  const Driver& d = driver();
  std::vector<void*> pointers;
  pointers.reserve(layout_.slots.size());
  for (const abi::ParamSlot& slot : layout_.slots) pointers.push_back(params + slot.offset);
  constexpr uint32_t kWithoutOptIn = 48 * 1024;
  if (static_shared_ + dims.shared > kWithoutOptIn)
    d.check(d.kernel_set_attribute(kMaxDynamicSharedSizeBytes, static_cast<int>(dims.shared),
                                   kernel_, gpu0().device),
            "opting in to large shared memory");
  const auto& g = dims.grid;
  const auto& b = dims.block;
  const std::string what = "launching kernel '" + name_ + "'";
  // A CUkernel stands wherever a CUfunction does.
  d.check(d.launch_kernel(reinterpret_cast<CUfunction>(kernel_), g[0], g[1], g[2], b[0], b[1], b[2],
                          dims.shared, nullptr, pointers.data(), nullptr),
          what.c_str());
  d.check(d.context_synchronize(), ("running kernel '" + name_ + "'").c_str());
}

}  // namespace cuda_device::cuda
