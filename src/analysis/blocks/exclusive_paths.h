// Operations at which threads of both sides of a decision may wait for each other.
#pragma once

#include <utility>

#include "ir/ir.h"

namespace cuda_device::analysis {

using Pair = std::pair<const ir::Inst*, const ir::Inst*>;

// Two operations of a warp of the same kind and with the same mask to which different lanes come:
// on the two sides of an `if`, in two `if`s whose conditions exclude each other, or in an `if` that
// ends in a jump and after it. The lanes may disagree on the condition. Null: there are none.
Pair exclusive_meetings(const ir::Function& f);

// Likewise two barriers, each of them the next thing that is decided on its path: under no other
// condition. The condition is not proven to be one for the block, and it depends on which thread
// asks: what all threads read at one place they are taken to agree on.
Pair exclusive_barriers(const ir::Function& f);

}  // namespace cuda_device::analysis
