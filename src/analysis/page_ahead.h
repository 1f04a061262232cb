// Loads whose lines a page away are to be asked for ahead of time, since neither prefetchers nor
// the processor's own look ahead find them in time.
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace cuda_device::analysis {

// By Inst::id: loads in kernels without barriers, in no loop but those that are written out,
//   - from arrays beyond the cache of two dimensions or more: blocks go by rows, so that a launch
//     reads several streams of memory at once, and jumps from one to the other;
//   - all of them, where a gang computes for so long that the processor does not see what the next
//     one loads.
std::vector<bool> loads_page_ahead(const ir::Function& f, const Analysis& a);

}  // namespace cuda_device::analysis
