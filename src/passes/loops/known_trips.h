// Loops whose threads start at different numbers, but for which it is known how many iterations
// they make: all of them as many, or some of them one more.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

// Where all threads make as many, `for row in range(thread_idx.y, 32, 8)` in a block that is 8
// high: the loop counts in a variable of its own, and takes no masks.
void known_trips(ir::Function& f);

// Where some make one more, as those do that fill a tile with a halo, `for i in
// range(thread_idx.x, 36, 32)` in a block that is 32 wide: what all of them make stays a loop,
// without masks; the last iteration, which some make, is an if after it. For targets with lanes:
// elsewhere it is code twice, for nothing.
void peel_last_trip(ir::Function& f);

}  // namespace cuda_device::passes
