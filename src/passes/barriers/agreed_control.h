// The half of a kernel that runs while all threads of a block agree
// (passes/barriers/meet_at_any_barrier.h).
#pragma once

#include <unordered_map>

#include "analysis/blocks/block_level.h"
#include "ir/ir.h"
#include "passes/barriers/barrier_sites.h"

namespace cuda_device::passes {

using LoopLimits = std::unordered_map<const ir::Inst*, uint32_t>;  // slots, by `for`

// Makes every decision of `b` one of the block: threads vote on it. Where they disagree, all of
// them leave the scope that `b` is the region of, before anything is done on either side, with the
// number of the decision in the slot `site`. A `for` around a decision leaves its bound in a slot.
void leave_where_threads_disagree(ir::Function& f, ir::Block& b, const analysis::BlockLevel& level,
                                  const BarrierSites& sites, const LoopLimits& limits,
                                  uint32_t site);

}  // namespace cuda_device::passes
