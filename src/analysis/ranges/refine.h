// What a condition says about the values it compares.
#pragma once

#include <unordered_map>

#include "analysis/ranges/range_state.h"
#include "analysis/ranges/range_transfer.h"

namespace cuda_device::analysis {

using Versions = std::unordered_map<uint32_t, SeenVersion>;  // by Inst::id of slot loads

// The state where `condition` turned out as `holds`; unreachable where it cannot.
void refine(const ir::Inst& condition, bool holds, RangeState& state, const RangeOf& of,
            const Versions& versions);

}  // namespace cuda_device::analysis
