// Rewrites arithmetic on floats that are only stored (float16, bfloat16, the 8-bit ones) to
// arithmetic on float32 whose every result is rounded. Runs right after contract_fma, which leaves
// these floats alone; from here on the IR moves and converts them only.
//
//     %2 = add %0, %1 : float16          %2 = convert %0 : float32
//                                        %3 = convert %1 : float32
//                                        %4 = add %2, %3 : float32
//                                        %5 = convert %4 : float16
//
// It gives the bits of one rounding: float32 has twice their significand's bits and two more, with
// which rounding a sum, product, quotient or root twice is as rounding it once. neg, abs, copysign,
// min and max move bits. An fma is a product without error, and a sum rounded to odd.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void legalise_floats(ir::Function& f);

}  // namespace cuda_device::passes
