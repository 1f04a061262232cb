// Predicates regions where threads diverge at control around a barrier. Such control is carried out
// once for the block (analysis/blocks/block_level.h), but threads need not agree on its condition
// where those left out come to no other barrier: they leave a loop of barriers for good, or no
// thread reaches the barrier of an if. Where the analysis does not prove that all agree, each
// thread keeps a flag that says whether it is active, the block goes where any thread goes, and
// active threads run the regions between barriers:
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
