// Constant arrays of a function: read-only variables of the module.
#pragma once

#include <string>

#include "codegen/llvm.h"
#include "ir/ir.h"

namespace cuda_device::codegen {

// The variable of this name, made at its first use.
llvm::GlobalVariable* constant_variable(llvm::Module& module, const ir::Allocation& array,
                                        const std::string& name, unsigned address_space);

}  // namespace cuda_device::codegen
