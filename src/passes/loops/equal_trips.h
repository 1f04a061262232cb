// A `for` whose threads all make the same number of iterations, although they start at different
// numbers: `for row in range(thread_idx.y, 32, 8)` in a block that is 8 high. It counts in a
// variable of its own, and takes no masks.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void equal_trips(ir::Function& f);

}  // namespace cuda_device::passes
