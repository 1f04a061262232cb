#include "runtime/cuda/gpu_kernel.h"

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "runtime/cuda/array_copies.h"
#include "runtime/cuda/context.h"

namespace cuda_device::cuda {
namespace {

// A library belongs to no context, but the driver loads it with one current.
class AnyContext {
 public:
  AnyContext() {
    CUcontext current = nullptr;
    driver().check(driver().context_get(&current), "asking for the current context");
    if (!current) ours_.emplace(gpu0().context().handle());
  }

 private:
  std::optional<CurrentContext> ours_;
};

// The stack of the kernel and of as many calls as may be nested. The code that the driver takes is
// the first that it may run; another one is like it.
uint64_t stack_of(const abi::KernelImage& image, const FatImage& code, int sm) {
  const std::vector<const Code*> codes = code.for_gpu(sm);
  const uint64_t known = codes.empty() ? 0 : codes.front()->frame;
  return (uint64_t{image.nested_calls} + 1) * (known ? known : image.stack);
}

// Then an error that a launch returns is its own kernel's; else that of an earlier one.
bool launches_wait() {
  const char* const asked = std::getenv("CUDA_LAUNCH_BLOCKING");
  return asked && std::string_view(asked) == "1";
}

}  // namespace

GpuKernel::GpuKernel(const abi::KernelImage& image, const FatImage& code, int sm)
    : layout_(image.params),
      name_(image.name),
      source_(image.source),
      static_shared_(image.static_shared) {
  const AnyContext any;
  const BesideCaptures allowed;
  code_ = load_library(code, sm, name_, image.entry_name);
  if (image.nested_calls) stack_ = stack_of(image, code, sm);
}

GpuKernel::~GpuKernel() {
  const Driver* d = working_driver();
  if (!d) return;
  const BesideCaptures allowed;
  d->library_unload(code_.library);
}

std::string GpuKernel::described() const {
  return "'" + name_ + "'" + (source_.empty() ? "" : " (" + source_ + ")");
}

void GpuKernel::run_on_host_arrays(const void* params, const abi::LaunchDims& dims) const {
  Context& context = gpu0().context();
  CurrentContext current(context.handle());
  std::vector<char> own(layout_.size);
  std::memcpy(own.data(), params, layout_.size);
  ArrayCopies copies(layout_, own.data());
  launch(context, nullptr, own.data(), dims);
  context.check(driver().context_synchronize(), ("running kernel '" + name_ + "'").c_str(), this);
  copies.copy_back();
}

// Above 48 KiB a kernel has to ask for dynamic shared memory: once for the largest seen.
void GpuKernel::opt_in(Context& context, uint32_t shared) const {
  const Gpu& gpu = context.gpu();
  constexpr uint32_t kWithoutOptIn = 48 * 1024;
  if (static_shared_ + shared <= kWithoutOptIn) return;
  std::atomic<uint32_t>& told = opted_in_[static_cast<size_t>(gpu.number())];
  if (shared <= told.load(std::memory_order_acquire)) return;
  const BesideCaptures allowed;
  const std::lock_guard lock(opting_in_);
  if (shared <= told.load(std::memory_order_relaxed)) return;
  context.check(driver().kernel_set_attribute(kMaxDynamicSharedSizeBytes, static_cast<int>(shared),
                                              code_.kernel, gpu.device()),
                "opting in to large shared memory");
  told.store(shared, std::memory_order_release);
}

void GpuKernel::launch(Context& context, CUstream stream, const void* params,
                       const abi::LaunchDims& dims) const {
  opt_in(context, dims.shared);
  context.need_stack(stack_);
  constexpr size_t kFew = 64;
  void* few[kFew];
  std::vector<void*> many;
  void** pointers = few;
  if (layout_.slots.size() > kFew) {
    many.resize(layout_.slots.size());
    pointers = many.data();
  }
  char* const bytes = const_cast<char*>(static_cast<const char*>(params));  // the driver only reads
  for (size_t i = 0; i < layout_.slots.size(); ++i) pointers[i] = bytes + layout_.slots[i].offset;
  const auto& g = dims.grid;
  const auto& b = dims.block;
  const CUlaunchConfig config{
      {g[0], g[1], g[2]}, {b[0], b[1], b[2]}, dims.shared, stream, nullptr, 0};
  // A CUkernel stands wherever a CUfunction does; the context is that of the stream, or the current
  // one.
  const CUresult result = driver().launch_kernel(
      &config, reinterpret_cast<CUfunction>(code_.kernel), pointers, nullptr);
  if (result == kSuccess) return;
  context.check(result, ("launching kernel '" + name_ + "'").c_str(),
                launches_wait() ? this : nullptr);
}

}  // namespace cuda_device::cuda
