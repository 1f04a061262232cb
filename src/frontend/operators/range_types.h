// Which type the numbers of a range have, and which one a loop over them counts in.
#pragma once

#include <array>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

// The type of the numbers that start, stop and step, whole numbers of any types, make: the one that
// operators find for the three, unless it is narrower than a builtin int or lacks some number that
// there may be. Then it is the narrower one of int and int64 that has them all; or else int64.
TypeCode type_of_numbers(const Context& ctx, const std::vector<Value>& bounds);

// Start, stop and step of a loop that counts through the range, all in the type of its numbers, or
// in int64 where that lacks one of them. A stop that no number can reach may be another one.
std::array<Value, 3> counted_bounds(Context& ctx, const Value::Range& range, const Node* node);

// Whether a step is of the one sign for certain.
bool rises(const Value& step);
bool falls(const Value& step);

// The kernel fails at a step that is 0 and known at run time only.
void check_step(Context& ctx, const Value& step, const Node* node);

}  // namespace cuda_device::frontend
