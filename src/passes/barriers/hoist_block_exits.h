// Hoists jumps out of a loop or scope that holds a barrier, and so is control of the whole block,
// from divergent control inside. Mostly all threads take such a jump, or none; but the ifs and
// loops in which it stands are not one for the block:
//
//   for %k ... {                          for %k ... {
//     barrier                               %out = false
//     if %mine {              ->            scope { if %mine {
//       ...                                   ...
//       if %wrong { break }                   if %wrong { %out = true  leave 0 }
//       ...                                   ...
//     }                                     } }
//     barrier                               if %out { break }
//   }                                       barrier ...
//
// What is left to the block is an if around the jump (predicate_barrier_regions.h). An if that
// holds nothing but such a jump at its end is left as it is: its condition is the jump's.
//
// The else of a loop is hoisted too, where it holds a barrier and the iterations hold none: each
// thread goes through its own iterations, and all threads meet after them.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void hoist_block_exits(ir::Function& f);

}  // namespace cuda_device::passes
