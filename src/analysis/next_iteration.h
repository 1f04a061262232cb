// Where loads go in the next iteration of a loop with a barrier: the tile that a block takes next,
// the plane that it marches to. Far from one another, those are lines that no prefetcher foresees.
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace cuda_device::analysis {

// By Inst::id, of loads from arrays beyond the cache whose indices move by constants from one
// iteration to the next, some of them at all: by how much each. Else empty. A hint: an index that
// wraps, or a variable that is not stored to in every iteration, may move otherwise.
std::vector<std::vector<int64_t>> moves_of_loads(const ir::Function& f, const Analysis& a);

}  // namespace cuda_device::analysis
