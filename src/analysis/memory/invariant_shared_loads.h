// Loads from shared memory that no thread of the block stores to between the barriers and the
// block-level control around them: all threads that load from one address find the same value. A
// flag that one thread sets and all threads read after a barrier is block-uniform.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace cuda_device::analysis {

std::vector<bool> find_invariant_shared_loads(const ir::Function& f);  // by Inst::id

}  // namespace cuda_device::analysis
