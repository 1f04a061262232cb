// Vectors whose lanes are taken from any others.
#pragma once

#include "codegen/host/emit_context.h"

namespace cuda_device::codegen::host {

// The elements that `lanes`, an i32 each, names modulo 32. For gangs of 32 lanes.
// AVX-512 has it in an instruction for each register of 32-bit elements; AVX2 chooses among the
// permutations of four registers; others go through memory.
llvm::Value* permuted(EmitContext& c, llvm::Value* vector, llvm::Value* lanes);

}  // namespace cuda_device::codegen::host
