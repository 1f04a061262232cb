// Whether the gangs of a kernel have one warp or two, where that is free: a kernel that uses warps
// as such has one. (Less than a warp: the driver, by what is spilled.)
#pragma once

#include "analysis/analysis.h"
#include "codegen/host/machine/target.h"

namespace cuda_device::codegen::host {

// `options.gang_width` if it says so; else 64 where that pays:
//   - where a single warp would leave the latency of its operations exposed: in loops whose lanes
//     leave at different times, so that gangs cannot overlap, as long as 32 lanes fill no more than
//     two registers and the loops touch no memory;
//   - in loops that sum up and load what several lanes share: one load then serves twice as many,
//     as long as the sums of 64 lanes fill no more than half of the registers;
//   - in loops whose lanes read side by side in strides from arrays that no cache holds: what is
//     read at once is twice as long, as long as 32 lanes fill no more than two registers.
// `warp` is the analysis at 32 lanes.
uint32_t choose_gang_width(const ir::Function& f, const analysis::Analysis& warp,
                           const HostOptions& options);

}  // namespace cuda_device::codegen::host
