// Local arrays of a caller that a function is given when the kernel runs. The function knows them
// as arrays of its own table, of the same element and shape (ir::Allocation::lent), so that one
// function serves all arrays of one shape; a call has the caller's arrays as operands.
#pragma once

#include <string>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

// Who knows the arrays: a function, in a parameter of that number.
struct Borrower {
  const syntax::Function* function;
  size_t parameter;
  std::string name;  // of the parameter, for people
};

// The abstract value with the local arrays in it as the function knows them.
Value lent(Context& ctx, const Value& abstract, const Borrower& to);
// A value of the function where it was called: with the caller's arrays in place of those that it
// was lent. `known`, `given`: what it was called with, as it knows it and as the caller does.
Value given_back(const Value& value, const std::vector<Value>& known,
                 const std::vector<Value>& given);

bool holds_local(const Value& value);
// Calls f on each local array, depth first.
template <class F>
void for_each_local(const Value& value, F&& f) {
  if (value.is_array() && value.array().allocation() &&
      value.array().type.space == ir::AddressSpace::Local)
    f(value.array());
  for (const Value& part : value.parts()) for_each_local(part, f);
}

}  // namespace cuda_device::frontend
