// Describes for inspect(what="facts") what barriers make of a kernel on the host.
#pragma once

#include <string>

#include "analysis/analysis.h"

namespace cuda_device::analysis {

// The regions between barriers, what is spilled from one to another, where and why, and what is
// computed again; empty without barriers. `f` has been through the passes for lanes.
std::string describe_blocks(const ir::Function& f, const Analysis& a);

// The arrays that the kernel asks for and `f`, after the passes, has no longer. `asked` is `f`
// before them.
std::string describe_lost_arrays(const ir::Function& asked, const ir::Function& f);

}  // namespace cuda_device::analysis
