// Runs a launch whose threads run one by one, each on a stack of its own.
//
// Each worker starts blocks, in increasing order, and runs their threads in turns. A block keeps
// its worker while its threads advance and none is in a loop that may wait for others; else the
// next started block gets it. Where all started blocks of a worker stand still, or have been in
// such loops for a while, it starts another one: so blocks may wait for later ones. Their number is
// bounded by memory: beside the first block of each worker, a launch starts no more than fit into a
// quarter of what the machine has available then (their arrays, and what their stacks are expected
// to touch).
//
// A launch whose threads all wait for each other has failed: see standing.h.
#pragma once

#include "runtime/host/fibres/launch.h"
#include "runtime/host/interrupt.h"

namespace cuda_device::runtime::fibres {

// A worker's part, and the launching thread's: returns when no block is left that it could start,
// and all that it has started have ended or were left. `asks`: the launch may be given up
// meanwhile; `interrupt`: of the launching thread. In a child that was forked meanwhile it returns
// at once. False where there was no memory for its first block.
bool run(Launch& launch, bool asks, Interrupt* interrupt) noexcept;

}  // namespace cuda_device::runtime::fibres
