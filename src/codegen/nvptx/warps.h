// Operations of a warp as PTX has them: vote.sync, shfl.sync, match.sync, bar.warp.sync.
#pragma once

#include "codegen/nvptx/emit_context.h"

namespace cuda_device::codegen::nvptx {

void emit_warp_sync(EmitContext& c, const ir::Inst& inst);
// ActiveMask, VoteAll to Ballot.
llvm::Value* emit_vote(EmitContext& c, const ir::Inst& inst);
// Shuffle to ShuffleXor: values of 64 bits in two halves.
llvm::Value* emit_shuffle(EmitContext& c, const ir::Inst& inst);
// MatchAny, MatchAll.
llvm::Value* emit_match(EmitContext& c, const ir::Inst& inst);

}  // namespace cuda_device::codegen::nvptx
