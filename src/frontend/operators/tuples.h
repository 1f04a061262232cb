// Operators on tuples, their parts, and elements chosen at run time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

// a + b, a * 2; nothing for other operators and other values.
std::optional<Value> tuple_operation(Context& ctx, BinaryOp op, const Value& a, const Value& b,
                                     const Node* node, const Node* left, const Node* right);
Value tuple_slice(Context& ctx, const std::vector<Value>& elements, const Value::Slice& slice,
                  const Node* node);
// The element that an index of run time names, in the type that a variable of all of them has. An
// index out of range gives any of them. `tuple`: its name, for messages; its elements must keep
// their values in that type. Empty: they are none of a tuple of the program's.
Value element_at(Context& ctx, std::vector<Value> elements, const Value& index, const Node* node,
                 const std::string& tuple);

}  // namespace cuda_device::frontend
