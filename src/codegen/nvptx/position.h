// The thread's position in the launch.
#pragma once

#include "codegen/nvptx/emit_context.h"

namespace cuda_device::codegen::nvptx {

// ThreadIdx to LaneId.
llvm::Value* emit_position(EmitContext& c, const ir::Inst& inst);

}  // namespace cuda_device::codegen::nvptx
