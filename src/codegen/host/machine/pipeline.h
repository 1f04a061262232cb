// LLVM's optimisations over one kernel: what our emission leaves to it, and nothing that would
// vectorise again.
#pragma once

#include "codegen/effort.h"
#include "codegen/emit_machine.h"

namespace cuda_device::codegen::host {

void optimise(llvm::Module& module, llvm::TargetMachine& machine, Effort effort);

}  // namespace cuda_device::codegen::host
