// A variable that a loop counts, and that is read behind the loop, gets a slot of its own for the
// time inside:
//
//   while {                              %0 = slot_load $n
//     %1 = slot_load $n                  slot_store $m, %0
//     yield %c                           while {
//   } do {                                 %1 = slot_load $m
//     %2 = add %1, %one                    yield %c
//     slot_store $n, %2                  } do {
//   }                                      %2 = add %1, %one
//   %3 = slot_load $n                      slot_store $m, %2
//                                          slot_store $n, %2
//                                        }
//                                        %3 = slot_load $n
//
// Lanes that have left the loop keep their $n, so it is a vector, blended in every iteration. But
// the lanes still inside have all counted alike: nobody reads $m behind the loop, so it is one
// number for all, or one number and a step. Tests of it are scalar, loads indexed by it are no
// gathers.
//
// Only where the analyses say that it helps: the loop's lanes part, and what is stored would be
// uniform or affine. Runs last, on targets whose threads are lanes.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void split_loop_slots(ir::Function& f);

}  // namespace cuda_device::passes
