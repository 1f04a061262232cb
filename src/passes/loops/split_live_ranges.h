// A variable that a loop counts, and that is read after the loop, gets a slot of its own for the
// time inside:
//
//   slot_store $n, %zero                 slot_store $n, %zero
//   while {                              slot_store $m, %zero
//     %1 = slot_load $n                  while {
//     yield %c                             %1 = slot_load $m
//   } do {                                 yield %c
//     %2 = add %1, %one                  } do {
//     slot_store $n, %2                    %2 = add %1, %one
//   }                                      slot_store $m, %2
//   %3 = slot_load $n                      slot_store $n, %2
//                                        }
//                                        %3 = slot_load $n
//
// Lanes that have left the loop keep their $n, so it is a vector, blended in every iteration. But
// the lanes still inside have all counted alike: no lane reads $m after the loop, so it is uniform
// or affine. Tests of it are scalar, loads indexed by it are no
// gathers.
//
// Splits only where the analyses say that it helps: lanes diverge in the loop, and what is stored
// would be uniform or affine. Runs for targets whose threads are lanes, after the passes that
// move code between loops.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void split_live_ranges(ir::Function& f);

}  // namespace cuda_device::passes
