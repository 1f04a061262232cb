// Operations of a warp as PTX has them: vote.sync, shfl.sync, match.sync, bar.warp.sync.
#pragma once

#include "codegen/thread/emit_context.h"

namespace cuda_device::codegen::nvptx {

using thread::EmitContext;

// ActiveMask to MatchAll; values of 64 bits are shuffled in two halves. The result; null where
// there is none.
llvm::Value* emit_warp(EmitContext& c, const ir::Inst& inst);

}  // namespace cuda_device::codegen::nvptx
