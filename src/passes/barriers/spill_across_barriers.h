// Spills values that live across barriers, for targets that run the threads of a block one after
// another between barriers: afterwards only variables are live across the boundary of a region
// (analysis/blocks/block_level.h). A temporary that is used in another region than its own is
// rematerialised there where that is cheap, and spilled to a variable otherwise. What block-level
// control reads (conditions, bounds, operands of barriers) is a variable or a constant.
//
//   %q = div %x, %x : float32            %q = div %x, %x : float32
//   %i = tid #0 : int32                  slot_store $0, %q
//   barrier                              barrier
//   store %a, %i, %q                     %i = tid #0 : int32
//                                        %1 = slot_load $0 : float32
//                                        store %a, %i, %1
//
// A `for` at block level counts the same in all threads: one whose first value or step may differ
// between threads becomes a loop over the number of its iterations.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void spill_across_barriers(ir::Function& f);

}  // namespace cuda_device::passes
