// What the interpreter says of threads that wait for each other and cannot go on.
#pragma once

#include <memory>
#include <vector>

#include "ir/running_block.h"

namespace cuda_device::ir {

using RunningBlocks = std::vector<std::unique_ptr<RunningBlock>>;

// Whether every thread of these blocks has left the kernel, waits at a barrier or operation of its
// warp that others do not come to, spins, or repeats what it does with others. If no block is left
// to start, no thread will ever change anything again.
bool all_wait(const Launch& launch, const RunningBlocks& blocks);
// Names the places where the threads are, and how many are at each.
[[noreturn]] void throw_deadlock(const Launch& launch, RunningBlocks& blocks);

}  // namespace cuda_device::ir
