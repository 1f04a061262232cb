// Loops in which each lane goes through a row of its own and does little but read it: one lane
// after the other reads memory in its order, takes as many iterations as its own row has and not
// those of the longest, and nothing has to be gathered. For targets where a gather costs as much
// as the loads it stands for.
#pragma once

#include <vector>

#include "analysis/analysis.h"

namespace cuda_device::analysis {

// By Inst::id. A `for` whose lanes begin at places that differ by what they have read, with a body
// of cheap instructions in a straight line and at least one load a few of them; every load is of a
// kernel's argument, at a place that follows no pattern across lanes or is the same for all. It
// stores to no memory and reports nothing, so that in which order lanes run it makes no difference;
// variables that it sets differ by lane.
std::vector<bool> loops_lane_by_lane(const ir::Function& f, const Analysis& a);

// What is known inside of the loop of one lane at a time: all lanes are that lane, also of what it
// reads from outside.
Analysis in_scalarized_loop(const Analysis& a, const ir::Inst& loop);

// Whether its counter goes up from where it begins and is set by nothing else, so that it is not
// negative if it does not begin so; not known already.
bool may_count_from_zero(const Analysis& a, const ir::Inst& loop);
// What is known then.
Analysis counting_from_zero(Analysis a, const ir::Inst& loop);

}  // namespace cuda_device::analysis
