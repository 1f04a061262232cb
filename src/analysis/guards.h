// Guards: ifs that ask where a thread stands, such as `if i < n` or `if 0 < x < width - 1`. Nearly
// every gang passes one with all of its lanes.
#pragma once

#include "analysis/analysis.h"

namespace cuda_device::analysis {

// The region that whole gangs run; None: not a guard, or one that would gain nothing from a version
// for them, or too large to have twice.
enum class Guard : uint8_t { None, Then, Else };

// By Inst::id. Guards compare integers that are affine or uniform, or ask for variables that hold
// nothing but such comparisons, joined by and, or, not; an affine value equals something in few
// lanes. What they guard moves whole vectors, or rows of them: that is what masks make dear.
std::vector<Guard> find_guards(const ir::Function& f, const Analysis& a);

}  // namespace cuda_device::analysis
