// Replaces divisions, roots and functions of float32 by estimates, where the kernel allows it: the
// only place where fastmath= meets arithmetic. Targets know the estimates as operations.
//
//   approximate_divide      div a, b        div_estimate a, b
//                           div a, 3.0      mul a, 0.33333334
//                           div a, 1e-40    as it is: the reciprocal is no normal number
//   approximate_sqrt        sqrt x          sqrt_estimate x
//   and both                1 / sqrt(x)     rsqrt_estimate x
//                           a / sqrt(x)     mul a, rsqrt_estimate(x)
//   approximate_functions   exp x           exp2_estimate(x * log2(e))
//                           exp2 x          exp2_estimate x
//                           log x           log2_estimate(x) * log(2); log2, log10 likewise
//                           pow x, y        exp2_estimate(y * log2_estimate(x))
//                           sin x, cos x    sin_estimate x, cos_estimate x
//                           tan x           div_estimate(sin_estimate(x), cos_estimate(x))
//                           tanh x          tanh_estimate x
//
// The functions are those that nvcc --use_fast_math computes so. Runs before expand_math, which
// expands the rest, and after the last fold: what is constant was computed exactly.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void approximate_math(ir::Function& f);

}  // namespace cuda_device::passes
