// A `for` whose threads make so many iterations or one more, by where they start, as those do that
// fill a tile with a halo: `for i in range(thread_idx.x, 36, 32)` in a block that is 32 wide. What
// all of them make stays a loop, without masks; the last one, which some make, is an if behind it.
// For targets with lanes: elsewhere it is code twice, for nothing.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void peel_last_trip(ir::Function& f);

}  // namespace cuda_device::passes
