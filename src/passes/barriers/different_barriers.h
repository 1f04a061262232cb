// Whether threads of a block may come to different barriers.
#pragma once

#include <functional>

#include "analysis/blocks/block_level.h"
#include "ir/ir.h"

namespace cuda_device::passes {

// Whether some control at block level is one at which threads may diverge (`diverges`), with a
// barrier on one of its paths before they join, while it matters when those on the other path go
// on: they may come to a barrier too, and meet there, or at the same one in different iterations;
// or they access what others write or read, before they end. A barrier waits for that.
bool may_wait_at_different_barriers(const ir::Function& f, const analysis::BlockLevel& level,
                                    const std::function<bool(const ir::Inst&)>& diverges);

}  // namespace cuda_device::passes
