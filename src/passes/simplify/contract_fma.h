// Contracts a * b + c of floats into one fma, as nvcc does by default. The rule, in full:
//
//   An add or sub one of whose operands is a mul that stands in the same block and is used nowhere
//   else becomes an fma. Where both operands are such muls, the left one is contracted.
//
//     %0 = mul %a, %b : float32          %0 = fma %a, %b, %c : float32
//     %1 = add %0, %c : float32
//
//     add(mul(a, b), c), add(c, mul(a, b))   fma(a, b, c)
//     sub(mul(a, b), c)                      fma(a, b, neg(c))
//     sub(c, mul(a, b))                      fma(neg(a), b, c)
//
// A use that reaches an assertion alone does not count, whatever target: those that drop assertions
// give the same bits.
//
// Floats that are only stored (float16) are left alone: CUDA's types round after every operation.
//
// Products are contracted with sums of their own Python function alone, so that the bits are the
// same whether it is inlined or called: what an inlined function is given or returns is converted
// to its own format, and is no product. Such a conversion is a use even of what the other function
// ignores. The pass removes these conversions.
//
//     %0 = mul %a, %b : float32          %0 = mul %a, %b : float32
//     %1 = convert %0 : float32          %2 = add %0, %c : float32
//     %2 = add %1, %c : float32
//
// It is the only place where products and sums are fused: no target fuses any other, so all give
// the same bits. It runs before the passes that simplify arithmetic, so that what is fused follows
// from the source alone.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

// Contracts nothing where Options::fmad is off.
void contract_fma(ir::Function& f);

}  // namespace cuda_device::passes
