// Atomic operations and fences, as nvcc prints those of libcu++. LLVM 22 drops order and scope of
// atomicrmw and cmpxchg for PTX, so all of them are inline assembly:
//
//   relaxed, acquire, release, acq_rel   ld/st/atom.ORDER.SCOPE.SPACE.OPERATION.TYPE
//   seq_cst                              fence.sc.SCOPE, then ld.acquire, st.relaxed, atom.acquire
//
// What has no instruction is a loop around a compare-and-swap: maximum and minimum of floats,
// elements of one or two bytes.
#pragma once

#include "codegen/thread/emit_context.h"

namespace cuda_device::codegen::nvptx {

using thread::EmitContext;

// At a pointer in the address space of its array. The result; null where there is none.
llvm::Value* emit_atomic(EmitContext& c, const ir::Inst& inst, llvm::Value* pointer);
void emit_fence(EmitContext& c, const ir::Inst& inst);

}  // namespace cuda_device::codegen::nvptx
