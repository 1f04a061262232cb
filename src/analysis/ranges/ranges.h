// Value ranges: interval analysis over the structured IR, sensitive to the flow of control. Slots
// are the state; a branch knows its condition; loops are widened to a fixpoint and narrowed once.
#pragma once

#include "analysis/ranges/interval.h"
#include "analysis/slot_set.h"

namespace cuda_device::analysis {

struct Ranges {
  std::vector<Interval> values;  // by Inst::id: integers and bools; everything where not reached
  std::vector<Interval> slots;   // all that is ever stored, and zero where it may be read
  size_t visits = 0;             // of instructions: what the analysis cost
};

Ranges find_ranges(const ir::Function& f, const SlotSet& live_at_entry);

}  // namespace cuda_device::analysis
