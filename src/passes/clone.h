// Copies of instructions, regions included.
#pragma once

#include <unordered_map>

#include "ir/ir.h"

namespace cuda_device::passes {

// What each instruction became; operands that are not in it stay as they are.
using Copies = std::unordered_map<const ir::Inst*, ir::Inst*>;

ir::Inst* clone(ir::Function& f, const ir::Inst& inst, Copies& copies);
std::vector<ir::Inst*> clone(ir::Function& f, const ir::Block& block, Copies& copies);

}  // namespace cuda_device::passes
