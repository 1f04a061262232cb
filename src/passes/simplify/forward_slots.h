// Replaces the load of a slot by the value that is known to lie in it: that of the last store or
// load before it.
//
//   slot_store $0, %0                    slot_store $0, %0
//   %1 = slot_load $0 : float32
//   %2 = add %1, %1 : float32            %2 = add %0, %0 : float32
//
// A value is known inside the regions that follow it too, until a region may have stored another.
// Runs first: the frontend writes every variable to its slot, and later passes see through
// temporaries only.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void forward_slots(ir::Function& f);

}  // namespace cuda_device::passes
