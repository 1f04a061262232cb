// One kernel as the host runs it thread by thread, each on a stack of its own: for kernels whose
// threads wait for each other (docs/decisions/0051).
#pragma once

#include <vector>

#include "codegen/host/machine/target.h"
#include "codegen/thread/emit_context.h"

namespace cuda_device::codegen::host {

struct ThreadKernel {
  const ir::Function& function;
  const analysis::Analysis& analysis;
  const abi::ParamLayout& layout;
  const Target& target;
  const SourceLines* lines = nullptr;
};

// What the runtime is to know of the code.
struct ThreadCode {
  uint32_t arena = 0;       // bytes of the block's shared arrays
  std::vector<Span> sites;  // where threads may wait, by number, in program order
};

// Adds an abi::HostThreadEntry of this name to the module.
ThreadCode emit_thread_kernel(llvm::Module& module, const ThreadKernel& source, const char* name);

}  // namespace cuda_device::codegen::host
