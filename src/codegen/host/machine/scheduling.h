// What keeps LLVM's back end from taking time in the square of a kernel's length.
#pragma once

#include "codegen/llvm.h"

namespace cuda_device::codegen::host {

// Cuts long stretches of instructions for LLVM's scheduler, which takes time in the square of what
// it looks at together. No instruction comes of it. `kept` is a scalar that lives throughout.
void bound_scheduling(llvm::Function& function, llvm::Value* kept);

}  // namespace cuda_device::codegen::host
