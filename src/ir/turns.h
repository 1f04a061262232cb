// Runs the threads of a launch in turns, for the interpreter.
#pragma once

#include "ir/machine.h"

namespace cuda_device::ir {

// Runs all threads of all blocks to their ends, or until one has failed. Blocks are started in
// increasing order: the next one when those before it have finished, or when every thread of theirs
// has had a turn. Then they go on in turns, so a thread may wait for any other. Throws
// InterpretError where none can go on.
void run_blocks(const Launch& launch, uint64_t max_steps, const Schedule& schedule);

}  // namespace cuda_device::ir
