// Python constants as data.
#pragma once

#include <functional>
#include <optional>

#include "bindings/python.h"
#include "syntax/tree.h"

namespace cuda_device::bindings {

// Gives the index of a struct among the types of a program; nothing where it has none.
using StructIndex = std::function<std::optional<uint32_t>(nb::handle cls)>;

// None, bool, int (IntEnum members too), float, complex, str, ..., NumPy scalars of known format,
// vectors, structs of the program, and tuples of these.
std::optional<syntax::Value> constant_of(nb::handle object, const StructIndex& structs = {});

// Whether what the object holds may change, though it stays the same object.
bool is_mutable(nb::handle object);

// An array of NumPy's that a kernel reads as a constant: of numbers, vectors or records, of at most
// kMaxConstantArray bytes.
inline constexpr size_t kMaxConstantArray = 64 * 1024;
std::optional<syntax::Value> constant_array(nb::handle object, const StructIndex& structs);
// What a name means that has such an array.
std::optional<syntax::Binding> array_binding(nb::handle object, const StructIndex& structs);

// Same kind and same bits: -0.0 is not 0.0, True is not 1, a NaN is itself.
bool same_value(const syntax::Value& a, const syntax::Value& b);

}  // namespace cuda_device::bindings
