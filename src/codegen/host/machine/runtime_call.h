// Calls of the runtime's functions (abi/host_imports.def), through the table of imports.
#pragma once

#include "codegen/llvm.h"

namespace cuda_device::codegen::host {

llvm::CallInst* call_runtime(llvm::IRBuilder<>& b, llvm::Module& module, const char* name,
                             llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments);

}  // namespace cuda_device::codegen::host
