// Shapes as values: what operations do to `base + s0 * (lane % P) + s1 * (lane / P)`.
#pragma once

#include "analysis/ranges/interval.h"

namespace cuda_device::analysis {

inline Shape uniform_shape(Level level) { return {level, {}, {}}; }
inline Shape varying_shape() { return uniform_shape(Level::Varying); }
// Steps reduced to the type; steps that no lane can see count as zero; without steps it is
// gang-uniform. What goes on from row to row as within them has no period of its own.
Shape affine_shape(Step s0, Step s1, const LaneLayout& layout, ScalarKind k, uint32_t period = 0);

Level join(Level a, Level b);
// One of two values, every active lane the same one.
Shape join(const Shape& a, const Shape& b);

Shape add(const Shape& a, const Shape& b, const LaneLayout& layout, ScalarKind k);
Shape scale(const Shape& a, Step factor, const LaneLayout& layout, ScalarKind k);

// The least and greatest of s0 * (lane % P) + s1 * (lane / P); none where a step is not known.
std::optional<Interval> offsets(const Shape& a, const LaneLayout& layout);

// True where base and lanes of an affine value of that range lie within the signed numbers of its
// width, with the base taken as lane 0 would have it: then sign-extending base and steps gives the
// value in a wider type.
bool extends(const Shape& a, Interval range, const LaneLayout& layout, int bits);

}  // namespace cuda_device::analysis
