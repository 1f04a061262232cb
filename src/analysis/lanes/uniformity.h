// Lane shapes of all values and slots, and which stores must blend: a forward fixpoint over the
// structured IR.
#pragma once

#include "analysis/liveness.h"
#include "analysis/ranges/ranges.h"

namespace cuda_device::analysis {

// Fills shapes, slot_shapes, store_blends and divergent. `a.layout` is given.
void find_shapes(const ir::Function& f, const Liveness& live, const Ranges& ranges, Analysis& a);

}  // namespace cuda_device::analysis
