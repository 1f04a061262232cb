// Barriers of a block.
#pragma once

#include "codegen/nvptx/emit_context.h"

namespace cuda_device::codegen::nvptx {

// Barrier to BarrierOr; null where there is no result.
llvm::Value* emit_barrier(EmitContext& c, const ir::Inst& inst);

}  // namespace cuda_device::codegen::nvptx
