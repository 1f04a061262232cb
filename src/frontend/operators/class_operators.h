// Operators that a class of the program defines by Python's methods: __add__, __rmul__, __neg__,
// __eq__.
#pragma once

#include <optional>

#include "frontend/operators/operators.h"

namespace cuda_device::frontend {

// Nothing: neither operand's class defines the operator.
std::optional<Value> class_binary(Context& ctx, BinaryOp op, const Value& a, const Value& b,
                                  const Node* node, const Node* left, const Node* right);
std::optional<Value> class_compare(Context& ctx, CompareOp op, const Value& a, const Value& b,
                                   const Node* node, const Node* left, const Node* right);
std::optional<Value> class_unary(Context& ctx, const std::string& op, const Value& v,
                                 const Node* node);

// One of the other methods that Python calls by itself: __len__, __getitem__, __bool__.
std::optional<Value> class_call(Context& ctx, const Value& self, const std::string& method,
                                const std::vector<Value>& arguments, const Node* node);

}  // namespace cuda_device::frontend
