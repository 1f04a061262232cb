// Common subexpressions: a pure operation that was computed before, in the same block or an
// enclosing one, is not computed again.
//
//   %0 = mul %x, %y : float32            %0 = mul %x, %y : float32
//   %1 = mul %x, %y : float32
//   %2 = sub %0, %1 : float32            %2 = sub %0, %0 : float32
//
// Runs after contract_fma (which asks for products used once) and after fold (which makes equal
// things look equal).
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void cse(ir::Function& f);

}  // namespace cuda_device::passes
