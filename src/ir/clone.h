// Copies of instructions, regions included.
#pragma once

#include <unordered_map>

#include "ir/ir.h"

namespace cuda_device::ir {

// What each instruction became; operands that are not in it stay as they are.
using Copies = std::unordered_map<const Inst*, Inst*>;

Inst* clone(Function& f, const Inst& inst, Copies& copies);
std::vector<Inst*> clone(Function& f, const Block& block, Copies& copies);

}  // namespace cuda_device::ir
