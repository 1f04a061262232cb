// Threads that fail or print, as CUDA has it.
#pragma once

#include "codegen/thread/emit_context.h"

namespace cuda_device::codegen::nvptx {

using thread::EmitContext;

// Traps the kernel where it does not hold; which failure it was is not reported, nor with which
// values.
void emit_check(EmitContext& c, llvm::Value* holds);
// Calls the printf of the driver.
void emit_print(EmitContext& c, const ir::Inst& print);

}  // namespace cuda_device::codegen::nvptx
