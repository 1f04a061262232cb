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

// What C's printf calls the format: integers of 64 bits, floats as double, bool as a string.
std::string c_format(const PrintFormat& format);

}  // namespace cuda_device::codegen::nvptx
