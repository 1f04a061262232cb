// Jumps that all threads of a block take together, out of what each goes through in its own way. A
// jump out of a loop or scope that holds a barrier is one for the whole block, by the language's
// rule: all threads take it, or none. But the ifs and loops in which it stands are not:
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
// Then the block decides by its first thread's word, as for a jump of its own. An if that holds
// nothing but such a jump at its end is left as it is: its condition is the jump's.
//
// Also the else of a loop, where it holds a barrier and the iterations hold none: each thread goes
// through its own iterations, and all meet behind them.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void jumps_for_all(ir::Function& f);

}  // namespace cuda_device::passes
