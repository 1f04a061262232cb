// Argument types as people write them: "int", "float32", "array[float32, 2]", "(int, float32)",
// "None"; "array[float32, 2, C]" is contiguous, "array[float32, 2, F]" by columns.
#pragma once

#include <optional>
#include <string_view>

#include "frontend/request.h"

namespace cuda_device::bindings {

// None where the text is no type. Other arrays have no facts: the generic version of a kernel.
std::optional<frontend::ArgumentType> parse_type(std::string_view text);

}  // namespace cuda_device::bindings
