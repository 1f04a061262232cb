// Lets the threads of a block meet at different barriers, as those of a GPU do. Control around
// barriers is carried out once for the block (analysis/blocks/block_level.h), which is wrong where
// threads diverge at it and both sides come to barriers:
//
//   if %x {                 scope {
//     A                       if barrier_and %x { A; barrier }
//     barrier        ->       else { if barrier_or %x { site = 1; leave } }
//   }                         B; barrier
//   B                         C
//   barrier                   return
//   C                       }
//                           the same, from phase to phase: threads wait each at its own barrier
//
// The kernel is there twice. In the first copy threads vote on each decision. As long as all agree,
// control is that of the block and nothing is predicated; that is all that most of such kernels
// ever do. Where they disagree, the block goes on in the second copy from there
// (waiting_threads.h), with variables of its own: those of the first stay uniform.
//
// Where threads of one side come to no barrier any more, predicate_barrier_regions does the work.
// For targets that run the threads of a block one after another, after spill_across_barriers: only
// variables are alive from one region to the next.
#pragma once

#include <cstdint>

#include "ir/ir.h"

namespace cuda_device::passes {

// The function of a failure that a pass has added: it is the one that the check stands in, and to
// be found by the check's place.
inline constexpr uint32_t kNotPlaced = ~uint32_t{0};

void meet_at_any_barrier(ir::Function& f);

}  // namespace cuda_device::passes
