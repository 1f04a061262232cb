// Computes now what is known now.
//
//   %0 = block_dim #0 : uint32           (launched with blocks of 256)
//   %1 = const 2 : uint32
//   %2 = mul %0, %1 : uint32             %2 = const 512 : uint32
//
//   - operations on constants, by the interpreter's own evaluator; functions that targets
//   approximate are left
//   - identities that hold for every input, bit for bit: of integers freely, of floats such as x *
//   1 but never x + 0
//     (simplify.h has the list); which NaN a NaN is, is not kept
//   - block_dim and thread_idx where the launch facts settle them
//   - ifs, whiles and fors whose condition or trip count is constant; ifs with nothing but an else
//
// Runs after contract_fma, and again after anything that makes new constants.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void fold(ir::Function& f);

}  // namespace cuda_device::passes
