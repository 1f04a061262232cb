// Operations of a warp at which lanes on different paths may wait for each other.
#pragma once

#include <utility>
#include <vector>

#include "ir/ir.h"

namespace cuda_device::analysis {

// Two of the same kind and with the same mask, or one and the same: some lanes may miss the first
// and come to the second while others wait at the first. They decided differently on the way, left
// a loop earlier, or are in another iteration of a loop around both. Lanes that have left the
// kernel miss nothing. Null: there are none.
std::pair<const ir::Inst*, const ir::Inst*> meetings_apart(const ir::Function& f);

// By Inst::id, of operations of warps and of each WarpCheck: whether lanes that its mask names may
// miss it and come to a barrier, or to any operation of their warp. The others leave the kernel
// without meeting anyone: who waits for them waits no longer than that. A barrier of a warp that
// lanes may miss counts as missed so: it waits for what they still write.
std::vector<bool> missed_by_lanes_that_stay(const ir::Function& f);

}  // namespace cuda_device::analysis
