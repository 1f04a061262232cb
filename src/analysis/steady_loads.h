// Loads from shared memory that nobody in the block stores to between the barriers and the control
// of the block around them: all threads that make them at one address find the same, whatever was
// stored before. A flag that one thread sets and all ask for after a barrier is one for the block.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace cuda_device::analysis {

std::vector<bool> find_steady_loads(const ir::Function& f);  // by Inst::id

}  // namespace cuda_device::analysis
