// What LLVM is told of a loop, at the branch back to its head.
#pragma once

#include "codegen/llvm.h"

namespace cuda_device::codegen::host {

void keep_rolled(llvm::Instruction* back);
void write_out(llvm::Instruction* back);  // as far as its iterations are known

}  // namespace cuda_device::codegen::host
