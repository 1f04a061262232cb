// Loops that read from many places far apart, which no prefetcher follows, but for which it is
// known what the next gang reads. Each lane goes through a row of its own, such as a sparse
// matrix's; or lanes side by side go on by a step that is longer than they are many (a grid-stride
// loop).
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace cuda_device::analysis {

// By Inst::id, of loads from one-dimensional arrays beyond the cache whose index is the counter of
// the innermost loop around them, a `for` that not all lanes go through equally often: that loop.
// Else null. Its lanes count by one from and to what differs by lane; rows may lie anywhere, and
// whether they do so in turn shows when the loop begins. Or they begin one behind the other and
// count by a step that is known when it begins.
std::vector<const ir::Inst*> loops_of_next_gang(const ir::Function& f, const Analysis& a);

// Whether the lanes of a `for` begin one behind the other and count by one step, which is longer
// than they are many or not known.
bool goes_in_strides(const ir::Inst& loop, const Analysis& a);

}  // namespace cuda_device::analysis
