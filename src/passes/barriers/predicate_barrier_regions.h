// Threads that part at control around a barrier. Such control is carried out once for the block
// (analysis/block_level.h), but its condition need not be one for the block where nobody who is
// left out comes to another barrier: threads that leave a loop of barriers for good, an if whose
// barrier nobody reaches. Where the analysis does not prove that all agree, each thread keeps in a
// variable whether it is still there, the block goes where any thread goes, and what stands between
// barriers is done by those who are there:
//
//   while %c {                            %in = true
//     A                                   while { %in = %in and %c
//     barrier              ->                     yield barrier_or %in } {
//     if %mine { break }                    if %in { A }
//     B                                     barrier
//   }                                       if %in { if %mine { %in = false } }
//                                           if %in { B }
//                                         }
//
// Afterwards threads diverge only in what holds no barrier, which is ordinary control of lanes. For
// targets that run the threads of a block one after another, after spill_across_barriers: only
// variables are alive from one region to the next.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void predicate_barrier_regions(ir::Function& f);

}  // namespace cuda_device::passes
