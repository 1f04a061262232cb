// Loops whose iterations are known when compiling.
#pragma once

#include <optional>

#include "analysis/analysis.h"

namespace cuda_device::analysis {

// Of a `for` whose start, stop and step each have one value.
std::optional<uint64_t> known_trips(const ir::Inst& loop, const Analysis& a);

// How many instructions its iterations are one after another, those of loops inside likewise; none
// where one is not known, or at more than `most`.
std::optional<uint64_t> written_out(const ir::Inst& loop, const Analysis& a, uint64_t most);

// A loop that touches arrays and is longer than this goes through them in a way of its own.
inline constexpr uint64_t kMostWrittenOut = 1024;

}  // namespace cuda_device::analysis
