// The stack of a GPU's thread whose functions call themselves: how deep, only the launch shows.
#pragma once

#include "ir/ir.h"

namespace cuda_device::codegen::nvptx {

// Whether some function of the module may be called while it runs: then the driver does not know
// how much stack a thread needs.
bool calls_itself(const ir::Function& kernel);
// Bytes that a call takes at most of the stack, before ptxas knows how many registers it saves:
// what the function has in memory, what it is given, and registers.
uint32_t estimated_frame(const ir::Function& kernel);

}  // namespace cuda_device::codegen::nvptx
