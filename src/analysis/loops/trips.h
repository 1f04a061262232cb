// How many iterations loops have, and how the lanes of a gang go through them.
#pragma once

#include <optional>

#include "analysis/analysis.h"
#include "analysis/ranges/interval.h"

namespace cuda_device::analysis {

struct TripBounds {
  uint64_t least = 0;
  uint64_t most = 0;
};

// Bounds for all threads of a `for` whose stop and step each have one value: the number of
// iterations falls as the start comes closer to the stop. `values`: ranges by Inst::id.
std::optional<TripBounds> trip_bounds(const ir::Inst& loop, const std::vector<Interval>& values);

// The trip count of a `for` that rises and whose start, stop and step each have one value.
std::optional<uint64_t> known_trips(const ir::Inst& loop, const Analysis& a);

// How many instructions the loop has when it is unrolled, and loops inside too; none where a trip
// count is not known, or beyond `most`.
std::optional<uint64_t> unrolled_size(const ir::Inst& loop, const Analysis& a, uint64_t most);

// A loop that accesses arrays is taken for one that stays a loop where it is longer than this
// unrolled.
inline constexpr uint64_t kMostUnrolled = 1024;

// Whether the lanes of a gang begin a `for` one after the other, each at one more than the lane
// before it, and count up by a step and to a stop that they share.
bool counts_in_step(const ir::Inst& loop, const Analysis& a);

// Whether the iterations that all lanes make become a loop of their own, without masks, in front of
// that of the iterations which some lanes make: `for i in range(tid, n, grid_size)` is left with
// one at most. No jump may leave the body.
bool has_full_iterations(const ir::Inst& loop, const Analysis& a);

}  // namespace cuda_device::analysis
