// Atomic operations and fences, as nvcc prints those of libcu++. LLVM 22 drops order and scope of
// atomicrmw and cmpxchg for PTX, so all of them are inline assembly:
//
//   relaxed, acquire, release, acq_rel   ld/st/atom.ORDER.SCOPE.SPACE.OPERATION.TYPE
//   seq_cst                              fence.sc.SCOPE, then ld.acquire, st.relaxed, atom.acquire
//
// What has no instruction is a loop around a compare-and-swap: maximum and minimum of floats,
// elements of one or two bytes.
#pragma once

#include "codegen/nvptx/emit_context.h"

namespace cuda_device::codegen::nvptx {

// At a pointer in the address space of its array. The result; null where there is none.
llvm::Value* emit_atomic(EmitContext& c, const ir::Inst& inst, llvm::Value* pointer);
// The second half of a pair.
llvm::Value* emit_second(EmitContext& c, const ir::Inst& inst);
void emit_fence(EmitContext& c, const ir::Inst& inst);

}  // namespace cuda_device::codegen::nvptx
