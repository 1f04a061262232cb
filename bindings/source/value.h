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
// A global array of NumPy's that a kernel reads as a constant: of numbers, not empty, of at most
// kMaxConstantArray bytes.
inline constexpr size_t kMaxConstantArray = 64 * 1024;
std::optional<syntax::Value> constant_array(nb::handle object);
// Whether what the object holds may change, though it stays the same object.
bool is_mutable(nb::handle object);

bool same_value(const syntax::Value& a, const syntax::Value& b);

}  // namespace cuda_device::bindings
