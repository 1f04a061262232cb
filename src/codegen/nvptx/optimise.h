// LLVM's passes for PTX.
#pragma once

#include "codegen/effort.h"
#include "codegen/llvm.h"

namespace cuda_device::codegen::nvptx {

void optimise(llvm::Module& module, llvm::TargetMachine& machine, Effort effort);

}  // namespace cuda_device::codegen::nvptx
