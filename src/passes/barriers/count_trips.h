// A `for` at block level (analysis/blocks/block_level.h) takes its number of iterations from one
// thread, but each thread may have bounds of its own. Afterwards such a loop counts in a variable
// of its own that is the same in all threads, and its body computes the thread's variable.
#pragma once

#include "analysis/blocks/block_level.h"

namespace cuda_device::passes {

void count_trips(ir::Function& f, const analysis::BlockLevel& level);

}  // namespace cuda_device::passes
