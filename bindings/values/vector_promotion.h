// Which type numbers of vectors and scalars compute in on the host: the table of the device
// dialect, as kernels have it.
#pragma once

#include <optional>

#include "frontend/operators/numeric.h"

namespace cuda_device::bindings {

using frontend::TypeCode;

// Nothing: no promotion is defined for the pair.
std::optional<TypeCode> common_type(TypeCode a, TypeCode b);
// What a / b computes in, `common` being their common type.
TypeCode true_divide_type(TypeCode a, TypeCode b, TypeCode common);

}  // namespace cuda_device::bindings
