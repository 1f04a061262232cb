// Barriers at which threads of both sides of a decision may wait for each other.
#pragma once

#include <utility>

#include "ir/ir.h"

namespace cuda_device::analysis {

using Pair = std::pair<const ir::Inst*, const ir::Inst*>;

// Two barriers on the two sides of an `if`, in two `if`s whose conditions exclude each other, or in
// an `if` that ends in a jump and after it, each of them the next thing that is decided on its
// path: under no other condition. The condition is not proven to be one for the block, and it
// depends on which thread asks: what all threads read at one place they are taken to agree on.
// Null: there are none.
Pair exclusive_barriers(const ir::Function& f);

}  // namespace cuda_device::analysis
