// The operation of tests that calls what nothing is known of, and operands in memory, which
// printing needs too.
#pragma once

#include "codegen/thread/emit_context.h"

namespace cuda_device::codegen::thread {

// An array of the values, eight bytes each, in the memory of the thread.
llvm::Value* in_memory(EmitContext& c, llvm::ArrayRef<llvm::Value*> values);
// Operand k as the interpreter holds it, in 64 bits.
llvm::Value* wide_operand(EmitContext& c, const ir::Inst& inst, size_t k);
llvm::Value* emit_opaque(EmitContext& c, const ir::Inst& opaque);

}  // namespace cuda_device::codegen::thread
