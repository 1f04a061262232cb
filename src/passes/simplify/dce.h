// Dead code elimination: removes
//   - values that no instruction uses, loads from memory included,
//   - stores into slots that are never loaded, slots and arrays that nothing names any more,
//   - jumps to where control goes anyway (a leave at the end of its scope; tail_jumps.h),
//   - checks of what holds, such as that the grid has threads,
//   - ifs with nothing in them, loops over nothing, and scopes that nothing leaves.
//
//     scope {                              store %a, %i, %x
//       %1 = mul %x, %x : float32
//       store %a, %i, %x
//       leave 0
//     }
//
// Runs after every pass that leaves such things: they would cost masks and registers in
// codegen.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void dce(ir::Function& f);

}  // namespace cuda_device::passes
