// Barriers, and operations of warps, to which some of the threads that they wait for surely do not
// come together with the others. Threads that wait for each other each on its own may meet at
// others of the same kind; lanes of gangs cannot.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace cuda_device::analysis {

struct MissedOperation {
  const ir::Inst* operation;
  const ir::Inst* condition;  // a condition, or a `for`, that some threads do not meet; may be null
};

// These find what follows from the places of threads in their block alone, where its shape is a
// fact, and only where those that miss the operation have certainly not left the kernel. What a
// thread does there may still depend on more: that it comes to the operation at all is not said.

// Barriers that some threads miss: they take another side of an `if`, or make fewer iterations of a
// `for`. In the order of the program. Threads that leave a loop by a jump are not looked at: they
// may have left barriers behind for good.
std::vector<MissedOperation> missed_barriers(const ir::Function& f);

// Those of them that some threads surely come to while the others come to no barrier at all: they
// wait for threads to leave the kernel, as none has before.
std::vector<MissedOperation> unmatched_barriers(const ir::Function& f);

// The first operation of a warp of whose mask some threads are on another path and meet others
// there (missed_by_lanes_that_stay); null: none. Where lanes come to it, they report a failure
// (Op::WarpCheck).
const ir::Inst* missed_meeting(const ir::Function& f);

}  // namespace cuda_device::analysis
