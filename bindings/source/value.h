// Python constants as data.
#pragma once

#include <optional>

#include "bindings/python.h"
#include "syntax/tree.h"

namespace cuda_device::bindings {

// None, bool, int (IntEnum members too), float, complex, str, ..., NumPy scalars of known format,
// and tuples of these.
std::optional<syntax::Value> constant_of(nb::handle object);

// Same kind and same bits: -0.0 is not 0.0, True is not 1, a NaN is itself.
bool same_value(const syntax::Value& a, const syntax::Value& b);

}  // namespace cuda_device::bindings
