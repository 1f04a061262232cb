// Replaces the hot float32 functions (exp exp2 log log2 sin cos tanh erf pow) by the arithmetic
// that computes them (math_f32.h), for targets without a fast one of their own. Runs before the
// analyses, so lane shapes and ranges see through it, and after contract_fma, whose rule is about
// the user's own expressions.
//
//   %1 = exp2 %0          %1 = min %0, 130 ... %9 = fma %5, %8, 1 ... %11 = ldexp %9, %10
//
// The estimates of approximate_math are expanded too, into less.
//
// sin and cos of huge angles stay calls, under a test that is almost never true:
//   slot = polynomial;  if abs(x) > limit { slot = sin x }
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void expand_math(ir::Function& f);

}  // namespace cuda_device::passes
