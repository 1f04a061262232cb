// Hints to LLVM on a loop, attached to the branch back to its head.
#pragma once

#include "codegen/llvm.h"

namespace cuda_device::codegen::host {

struct LoopHints {
  bool keep_rolled = false;
  bool unroll = false;       // as far as its iterations are known
  bool keep_inside = false;  // what is the same in all iterations stays in them
};

void hint(llvm::Instruction* back, const LoopHints& hints);

}  // namespace cuda_device::codegen::host
