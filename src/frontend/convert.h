// Texts about conversions.
#pragma once

#include <string>

#include "frontend/value.h"

namespace cuda_device::frontend {

// What to do about a literal that does not fit in the format.
std::string range_hint(const Value& literal, TypeCode to);

}  // namespace cuda_device::frontend
