// Loads that blocks make by rows of an array: a launch reads several streams of memory at once, and
// jumps from one to the other.
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace cuda_device::analysis {

// By Inst::id: loads from arrays beyond the cache of two dimensions or more, in kernels without
// barriers, in no loop but those that are written out.
std::vector<bool> loads_by_rows(const ir::Function& f, const Analysis& a);

}  // namespace cuda_device::analysis
