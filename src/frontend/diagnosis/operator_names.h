// Operators by Python's class names, their signs and the verbs of messages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/operators/exact.h"

namespace cuda_device::frontend {

std::optional<BinaryOp> binary_named(std::string_view python_class);
std::optional<CompareOp> compare_named(std::string_view python_class);
std::string_view sign_of(BinaryOp op);
std::string_view sign_of(CompareOp op);
// The words around two operands, in the order of speech: {"subtract", b, "from", a}.
std::vector<std::string> operation_text(BinaryOp op, std::string left, std::string right);

}  // namespace cuda_device::frontend
