// Constant arrays: global arrays of NumPy's, bytes, and long tuples of constants.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

// An element by its bytes.
Value constant_at(const DataType& type, const char* at);
// `bytes`: the elements in C order.
Value constant_table(Context& ctx, const std::string& name, const DataType& element,
                     std::vector<int64_t> shape, std::string bytes);
// The element of a constant array at constant indices; nothing: it is none, or they are not.
std::optional<Value> table_element(Context& ctx, const Value::Array& array,
                                   const std::vector<Inst*>& operands);
// Constant numbers of one format as a table of one dimension; nothing: they are not all constants.
std::optional<Value> table_of(Context& ctx, const std::vector<Value>& numbers, TypeCode code,
                              const Node* node);

}  // namespace cuda_device::frontend
