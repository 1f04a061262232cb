// Scalarized loops: each lane goes through a row of its own and does little but read it. Run lane
// by lane, they read memory in order, each lane takes as many iterations as its own row has and not
// those of the longest, and nothing is gathered. For targets where a gather costs as much as scalar
// loads.
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace cuda_device::analysis {

// Finds scalarized loops by Inst::id: a `for` whose lanes begin at numbers that they have read,
// with a body of cheap instructions in a straight line and at least one load a few of them; every
// load is of a kernel's argument, at an index that follows no pattern across lanes or is the same
// for all. It stores to no memory and reports nothing, so that in which order lanes run it makes no
// difference; variables that it sets differ by lane.
std::vector<bool> find_scalarized_loops(const ir::Function& f, const Analysis& a);

// The analysis inside of the loop of one lane: all values are uniform, also those from outside.
Analysis in_scalarized_loop(const Analysis& a, const ir::Inst& loop);

// Whether its counter only rises, so that it is not negative unless it begins so, and the analysis
// does not know that yet.
bool may_count_from_zero(const Analysis& a, const ir::Inst& loop);
// The analysis where the counter does not begin negative.
Analysis counting_from_zero(Analysis a, const ir::Inst& loop);

}  // namespace cuda_device::analysis
