// pow(x, e, m) of numbers of 64 bits.
#pragma once

#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

// v: x, e and m, integers that become numbers of `code`, of 64 bits. e is not negative.
Value modular_power_64(Context& ctx, const std::vector<Value>& v, TypeCode code, const Node* node);

}  // namespace cuda_device::frontend
