// One kernel as PTX sees it: one thread, scalar values, structured control flow as branches.
#pragma once

#include <string>

#include "analysis/analysis.h"
#include "codegen/codegen.h"
#include "codegen/effort.h"
#include "codegen/llvm.h"
#include "codegen/nvptx/architecture.h"

namespace cuda_device::codegen::nvptx {

// Adds the kernel `symbol` to the module. Parameters are those of abi::ParamLayout, one by one.
llvm::Function* emit_kernel(llvm::Module& module, const ir::Function& f,
                            const analysis::Analysis& analysis, const std::string& symbol,
                            Conversions conversions = {}, const SourceLines* lines = nullptr);

// Runs LLVM's passes for PTX.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, Effort effort);

}  // namespace cuda_device::codegen::nvptx
