// Blocks side by side that run together, a line of their threads after the other: a narrow block
// reads a short piece of many rows, and the memory system sees no stream in it.
#pragma once

#include "analysis/analysis.h"

namespace cuda_device::analysis {

// How a run goes through its blocks: for each line of gangs, for each block, for each gang of the
// line.
struct BlockRuns {
  uint32_t blocks = 1;  // of a run, at most; 1: block after block
  uint32_t line = 1;    // gangs that stand side by side along x
  uint32_t lines = 1;   // of a block
};

// Runs where blocks of several lines touch each element of an array about once. Not where threads
// of a block have anything to do with one another (barriers, shared memory), nor where they go
// through memory in loops of many iterations: there gangs of a block find in the cache what others
// have read.
BlockRuns block_runs(const ir::Function& f, const Analysis& a);

}  // namespace cuda_device::analysis
