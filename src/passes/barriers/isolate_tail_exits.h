// Isolates jumps after the last barrier of the scope or iteration that they leave: threads may
// diverge there, as no thread waits for them any more. A jump out of what holds a barrier is one
// for the whole block (analysis/blocks/block_level.h), so these get a scope without a barrier to
// leave:
//
//   scope {                               scope {
//     barrier                               barrier
//     if %c { leave 0 }           ->        scope {
//     ...                                     if %c { leave 0 }
//   }                                         ...
//                                           } }
//
// Where code of the scope follows outside of the block, a variable says which threads have left.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void isolate_tail_exits(ir::Function& f);

}  // namespace cuda_device::passes
