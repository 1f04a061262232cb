// Loops in which each lane goes through a row of its own, such as a sparse matrix's: a gang reads
// from as many places at once as it has lanes, and no prefetcher follows that many.
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace cuda_device::analysis {

// By Inst::id, of loads from one-dimensional arrays beyond the cache whose index is the counter of
// the innermost loop around them, a `for` that counts by one from and to what differs by lane: that
// loop. Else null. Rows may lie anywhere; whether they do so in turn shows when the loop begins.
std::vector<const ir::Inst*> loops_along_rows(const ir::Function& f, const Analysis& a);

}  // namespace cuda_device::analysis
