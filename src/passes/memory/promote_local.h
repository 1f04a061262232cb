// Arrays of a thread's own that are only indexed by constants become variables, one an element.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void promote_local(ir::Function& f);

}  // namespace cuda_device::passes
