// What op.def says of operands and types, checked for one instruction.
#pragma once

#include <string>

#include "ir/ir.h"

namespace cuda_device::ir {

// What is wrong with the count and types of its operands, its type, its immediate; empty = nothing.
std::string type_error(const Function& f, const Inst& inst);

}  // namespace cuda_device::ir
