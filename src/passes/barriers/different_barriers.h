// Whether threads of a block may come to different barriers.
#pragma once

#include <functional>

#include "analysis/blocks/block_level.h"
#include "ir/ir.h"

namespace cuda_device::passes {

// Whether some control at block level is one at which threads may diverge (`diverges`), with a
// barrier on one of its paths before they join, while threads on the other path may come to a
// barrier too: then they meet there, or at the same one in different iterations. Threads that come
// to no barrier any more wait for nobody.
bool may_wait_at_different_barriers(const ir::Function& f, const analysis::BlockLevel& level,
                                    const std::function<bool(const ir::Inst&)>& diverges);

}  // namespace cuda_device::passes
