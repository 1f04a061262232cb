// The last pass before code generation: brings masks, until here vectors of i1, into the form that
// the machine's instructions take, and removes those that are constants.
#pragma once

#include "codegen/host/machine/target.h"

namespace cuda_device::codegen::host {

void apply_mask_form(llvm::Module& module, const Target& target, const Tuning& tuning = {});

}  // namespace cuda_device::codegen::host
