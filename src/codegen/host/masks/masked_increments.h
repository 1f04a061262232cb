// Increments under a mask (AVX-512) in place of additions of the mask as numbers.
#pragma once

#include "codegen/host/machine/target.h"

namespace cuda_device::codegen::host {

// LLVM writes "one more where the mask is set" as the addition of the mask, extended to numbers;
// the machine adds under a mask, without making those numbers.
//   x + zext(m)  →  select(m, x + 1, x)
void use_masked_increments(llvm::Function& function);

}  // namespace cuda_device::codegen::host
