// Unrolls loops of few, constant iterations that index a thread's own arrays, innermost first:
// with constant indices such an array is a set of variables (promote_local.h).
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void unroll_local(ir::Function& f);

}  // namespace cuda_device::passes
