// Functions that are called when the kernel runs because it would be too large with every call of
// them inlined (docs/decisions/0055).
#pragma once

#include "frontend/calls/calls.h"

namespace cuda_device::frontend {

// Has some of the functions that were inlined so far called from the next pass on. False: no choice
// makes the kernel much smaller.
bool call_large_functions(Context& ctx);
// Whether calls of the function may be calls at run time though nothing asks for them.
bool may_be_called_for_size(const syntax::Function& function);
// Whether some calls of the function are calls at run time for its size.
bool is_called_for_size(const Context& ctx, const Callee& callee);
// Whether a call gives such a value as inlined code does.
bool can_be_returned(const Value& result);

}  // namespace cuda_device::frontend
