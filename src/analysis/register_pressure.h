// Register pressure: how many bytes of a lane are live at once.
#pragma once

#include "analysis/analysis.h"

namespace cuda_device::analysis {

// Bytes a lane of what differs between lanes with no pattern and is live at once, at the worst
// point of loops without barriers (of a kernel that is straight code, of all): variables that a
// loop carries, and values from their definition to their last use. Bools count as 32 bits. An
// estimate: constants, addresses and masks of the target's own come on top.
uint32_t live_lane_bytes(const ir::Function& f, const Analysis& a);

}  // namespace cuda_device::analysis
