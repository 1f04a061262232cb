// Functions of the language that are Python, which cuda/device/_in_kernels.py and random.py have.
#pragma once

#include <optional>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

// Whether the place is in one of them.
bool is_of_language(const SourceMap& files, const Span& place);
// What the function gives for builtin integers that are constants, exactly. Nothing: it is another
// function, raises, or has other arguments; or the result has more than 127 bits.
std::optional<Value> exact_integer(const Context& ctx, const syntax::Function& f,
                                   const std::vector<Value>& arguments);

}  // namespace cuda_device::frontend
