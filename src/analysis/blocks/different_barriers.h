// Whether threads of a block may come to different barriers.
#pragma once

#include <unordered_set>

#include "analysis/blocks/block_level.h"
#include "ir/ir.h"

namespace cuda_device::analysis {

// Control at block level at which threads decide, each by a value of its own, and may diverge.
std::unordered_set<const ir::Inst*> divergent_decisions(const ir::Function& f,
                                                        const BlockLevel& level);

// One of them with a barrier on one of its paths before they join, while it matters when those on
// the other path go on: they may come to a barrier too, and meet there, or at the same one in
// different iterations; or they access what others write or read, before they end. A barrier waits
// for that. Null: there is none.
const ir::Inst* find_different_barriers(const ir::Function& f);

}  // namespace cuda_device::analysis
