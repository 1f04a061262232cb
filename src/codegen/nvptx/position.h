// The thread's position in the launch.
#pragma once

#include "codegen/thread/emit_context.h"

namespace cuda_device::codegen::nvptx {

using thread::EmitContext;

// ThreadIdx to LaneId.
llvm::Value* emit_position(EmitContext& c, const ir::Inst& inst);

}  // namespace cuda_device::codegen::nvptx
