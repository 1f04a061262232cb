// Guards: ifs that ask where a thread stands, such as `if i < n` or `if 0 < x < width - 1`. Nearly
// every gang passes one with all of its lanes.
#pragma once

#include "analysis/analysis.h"

namespace cuda_device::analysis {

// The region that whole gangs run; None: not a guard, or one that would gain nothing from a version
// for whole gangs, or is too large to emit twice.
enum class Guard : uint8_t { None, Then, Else };

// Finds guards by Inst::id. They compare integers that are affine or uniform, or read variables
// that hold nothing but such comparisons, joined by and, or, not; an affine value equals something
// in few lanes. What they guard accesses whole vectors, or rows of them: masks make that expensive.
std::vector<Guard> find_guards(const ir::Function& f, const Analysis& a);

}  // namespace cuda_device::analysis
