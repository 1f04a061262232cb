// Functions of the language that are Python, which cuda/device/_in_kernels.py has.
#pragma once

#include <optional>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

// What the function gives for builtin integers that are constants, exactly. Nothing: it is another
// function, raises, or has other arguments; or the result has more than 127 bits.
std::optional<Value> exact_integer(const syntax::Function& f, const std::vector<Value>& arguments);

}  // namespace cuda_device::frontend
