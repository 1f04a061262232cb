// Operators by Python's class names, their signs and the verbs of messages.
#pragma once

#include <optional>
#include <string_view>

#include "frontend/exact.h"

namespace cuda_device::frontend {

std::optional<BinaryOp> binary_named(std::string_view python_class);
std::optional<CompareOp> compare_named(std::string_view python_class);
std::string_view sign_of(BinaryOp op);
std::string_view sign_of(CompareOp op);
// "add" of Add, as in "cannot add".
std::string_view verb_of(BinaryOp op);

}  // namespace cuda_device::frontend
