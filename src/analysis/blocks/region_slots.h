// Which variables a thread takes from one region of a block-level kernel into another
// (block_level.h).
#pragma once

#include "analysis/blocks/block_level.h"
#include "analysis/liveness.h"

namespace cuda_device::analysis {

// The variables that live from one region to another, or from one run of a region to the next, and
// those that block-level control reads.
SlotSet crossing_slots(const ir::Function& f, const BlockLevel& level);

struct RegionSlots {
  SlotSet named;  // the region loads or stores it
  SlotSet in;     // crossing; the region reads it, or leaves it as it was in some thread
  SlotSet out;    // crossing; the region may store to it
  // For each of Region::insts(), slots of `in` that no instruction before it names, and slots of
  // `out` that none after it may store to.
  std::vector<std::vector<uint32_t>> in_before, out_after;
  bool returns = false;  // a thread may leave the kernel here
  bool effects = false;  // it does more than compute temporaries
};
RegionSlots slots_of(RangeLiveness& live, const Region& region, const SlotSet& crossing);

}  // namespace cuda_device::analysis
