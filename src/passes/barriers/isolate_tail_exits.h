// Jumps after the last barrier of what they leave: threads may diverge there, for nobody waits for
// them any more. A jump out of a scope or an iteration that holds a barrier is one for the whole
// block (analysis/block_level.h), so these get a scope without a barrier to leave:
//
//   scope {                               scope {
//     barrier                               barrier
//     if %c { leave 0 }           ->        scope {
//     ...                                     if %c { leave 0 }
//   }                                         ...
//                                           } }
//
// Where code of the same scope follows outside of the block, a variable says who has left.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void isolate_tail_exits(ir::Function& f);

}  // namespace cuda_device::passes
