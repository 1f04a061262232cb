// Threads of a warp that meet at its operations, for the interpreter.
#pragma once

#include <span>
#include <vector>

#include "ir/machine.h"

namespace cuda_device::ir {

// Whether a mask names a lane.
constexpr bool has_lane(uint32_t mask, uint32_t lane) { return mask >> lane & 1; }

// Members of a group, by number, that can go on: those of one mask that are all there, or those
// that ask for the active lanes at the place that comes first in the program, so that the threads
// that left a loop or came from the other side of an if are waited for. Empty: nobody can.
// `live`: the lanes whose threads have not left the kernel; the others are not waited for.
std::vector<size_t> meeting(std::span<const WarpMember> waiting, uint32_t live);

// What each member of a group that has met gets; what it reads of a lane that takes no part is
// 0x0bad0bad….
std::vector<int64_t> results_of_meeting(std::span<const WarpMember> members);

}  // namespace cuda_device::ir
