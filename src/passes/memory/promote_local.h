// Arrays of a thread's own that are only indexed by constants become variables, one an element.
//
//   store %own, %1, %x                   slot_store $1, %x
//   %y = load %own, %1 : float32         %y = slot_load $1 : float32
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void promote_local(ir::Function& f);

}  // namespace cuda_device::passes
