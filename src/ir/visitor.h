// Visits every instruction.
#pragma once

#include "ir/ir.h"

namespace cuda_device::ir {

// Calls f on every instruction of the block and of the regions inside, in order.
template <class F>
void for_each_inst(const Block& block, F&& f) {
  for (Inst* inst : block.insts) {
    f(*inst);
    for (const Block& region : inst->regions) for_each_inst(region, f);
  }
}

}  // namespace cuda_device::ir
