// One kernel as a function of type abi::HostEntry: loops over blocks and gangs around the body.
#pragma once

#include "codegen/host/emit_context.h"

namespace cuda_device::codegen::host {

// Returns the bytes that a block needs in its worker's arena.
uint32_t emit_kernel(llvm::Module& module, const KernelSource& source, const char* name);

}  // namespace cuda_device::codegen::host
