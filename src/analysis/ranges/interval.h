// Intervals of mathematical integers, wide enough for every scalar type and for products of two.
#pragma once

#include <optional>

#include "analysis/analysis.h"

namespace cuda_device::analysis {

using Wide = __int128;

struct Interval {
  Wide lo = 0;
  Wide hi = 0;
  bool single() const { return lo == hi; }
  bool non_negative() const { return lo >= 0; }
  bool within(const Interval& o) const { return o.lo <= lo && hi <= o.hi; }
  bool holds(Wide v) const { return lo <= v && v <= hi; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

Interval full(ScalarKind k);  // every value of the type; bool: 0 and 1
Interval hull(Interval a, Interval b);
std::optional<Interval> meet(Interval a, Interval b);  // nothing in common: none
// What values of `a` become modulo 2**bits in the type.
Interval wrap(Interval a, ScalarKind k);

// Arithmetic of mathematical integers; none where the result would not fit a Wide.
std::optional<Interval> add(Interval a, Interval b);
std::optional<Interval> subtract(Interval a, Interval b);
std::optional<Interval> multiply(Interval a, Interval b);

Range to_range(Interval a);
Interval to_interval(Range r, ScalarKind k);

}  // namespace cuda_device::analysis
