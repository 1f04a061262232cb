// What keeps LLVM's back end from taking time in the square of a kernel's length.
#pragma once

#include "codegen/llvm.h"

namespace cuda_device::codegen::host {

// Cuts long stretches of instructions for LLVM's schedulers, which take time in the square of what
// they look at together. No instruction comes of it: before registers are allocated, the use of a
// value is a cut (`kept` is a scalar that lives throughout); blocks so long that the scheduler
// after it takes most of the time get labels, which are cuts for both.
void bound_scheduling(llvm::Function& function, llvm::Value* kept);

}  // namespace cuda_device::codegen::host
