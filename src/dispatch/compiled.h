// One specialisation, compiled and placed for one target: something that can run a grid.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "abi/kernel_image.h"
#include "compile/jit_api.h"
#include "dispatch/rt_api.h"
#include "runtime/cuda/gpu_kernel.h"
#include "runtime/error.h"
#include "runtime/host/interrupt.h"

namespace cuda_device::dispatch {

// What one launch of several is to do.
class Once {
 public:
  // Whether this is the first to ask; `put_back` makes the next one the first again.
  bool first() const { return !done_.exchange(true, std::memory_order_relaxed); }
  void put_back() const { done_.store(false, std::memory_order_relaxed); }

 private:
  mutable std::atomic<bool> done_{false};
};

// Runs a grid and returns when it is done; an error, empty if all went well. What the kernel prints
// is kept until a thread may write it (runtime/host/report.h). Thread-safe. Machine code of the
// host that tests `interrupt` leaves out blocks that have not begun.
class Compiled {
 public:
  Compiled() = default;
  explicit Compiled(const abi::KernelImage& image)
      : name_(image.name),
        target_(image.target),
        static_shared_(image.static_shared),
        dynamic_shared_(image.dynamic_shared),
        counted_axes_(image.counted_axes),
        warnings_(image.warnings) {}
  virtual ~Compiled() = default;
  const std::string& name() const { return name_; }          // of the Python kernel
  const std::string& target() const { return target_; }      // as KernelImage::target
  uint32_t static_shared() const { return static_shared_; }  // bytes of a block's own arrays
  bool dynamic_shared() const { return dynamic_shared_; }    // whether the launch has to give some
  uint8_t counted_axes() const { return counted_axes_; }     // as KernelImage::counted_axes
  const std::vector<Warning>& warnings() const { return warnings_; }  // of the compiler
  const Once& said_warnings() const { return said_warnings_; }
  const Once& said_shared() const { return said_shared_; }  // that a launch gives it none
  virtual runtime::Error run(const void* params, const abi::LaunchDims& dims,
                             runtime::Interrupt* interrupt) const = 0;
  // The kernel to be queued on a GPU's stream; null: it runs on the host.
  virtual const cuda::GpuKernel* gpu_kernel() const { return nullptr; }

 private:
  std::string name_, target_;
  uint32_t static_shared_ = 0;
  bool dynamic_shared_ = false;
  uint8_t counted_axes_ = 0;
  std::vector<Warning> warnings_;
  Once said_warnings_, said_shared_;
};

struct CompileOutcome {
  std::shared_ptr<const Compiled> compiled;  // null on an error
  Outcome outcome;
  bool from_disk = false;  // without the compiler
};

// As `interrupted`, of a thread in a FinishBeforeFork: a fork does not wait for the answer. Empty
// where it is null.
std::function<bool()> asking(const std::function<bool()>* interrupted);

// Used in a FinishBeforeFork: what the compiler is asked for; for a GPU with libdevice, where it is
// found. Throws std::invalid_argument for words in CUDA_DEVICE_TUNING that mean nothing.
compile::CompileRequest request_for(const Specialisation& specialisation,
                                    const std::string& target);

// target as in cd_rt_set_target, or Gpu::target. Does not throw.
CompileOutcome compile_for(const Specialisation& specialisation, const std::string& target);

bool target_available(const std::string& target);
std::vector<std::string> available_targets();

}  // namespace cuda_device::dispatch
