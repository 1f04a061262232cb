// The last pass before code generation: masks, until here vectors of i1, in the form that the
// machine likes; those that are known not at all.
#pragma once

#include "codegen/host/machine/target.h"

namespace cuda_device::codegen::host {

void apply_mask_form(llvm::Module& module, const Target& target, const Tuning& tuning = {});

}  // namespace cuda_device::codegen::host
