// Loops whose threads start at different numbers, but for which it is known how many iterations
// they make: all of them as many, or some of them one more.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

// Counts iterations where all threads make equally many, `for row in range(thread_idx.y, 32, 8)` in
// a block that is 8 high: the loop gets a counter of its own, and takes no masks.
//
//   for $row, %y, %32, %8 {              for $1, %0, %4, %1 {
//     %r = slot_load $row                  %n = slot_load $1
//     ...                                  %m = mul %n, %8
//   }                                      %s = add %y, %m
//                                          slot_store $row, %s
//                                          %r = slot_load $row
//                                          ...
//                                        }
void known_trips(ir::Function& f);

// Peels the last iteration where only some threads make it, as those do that fill a tile with a
// halo, `for i in range(thread_idx.x, 36, 32)` in a block that is 32 wide: the iterations that all
// threads make stay a loop, without masks, and the last one becomes an if after it. For targets
// with lanes; elsewhere it would copy code for nothing.
//
//   for $i, %x, %36, %32 {               %more = lt %x, %4
//     %k = slot_load $i                  for $1, %0, %1, %1 {
//     store %a, %k, %k                     ... %x + $1 * 32 into $i, the body
//   }                                    }
//                                        if %more {
//                                          ... %x + 32 into $i, the body
//                                        }
void peel_last_trip(ir::Function& f);

}  // namespace cuda_device::passes
