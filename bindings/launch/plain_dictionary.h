// Dictionaries of the CUDA Array Interface in their plain form, which launches read without
// Python's code: numbers in memory of the host, and nothing to wait for.
#pragma once

#include <optional>

#include "abi/array_view.h"
#include "bindings/python.h"

namespace cuda_device::bindings {

// Nothing: it is malformed, or says what only cuda.device._interfaces reads.
std::optional<abi::ArrayView> plain_array(PyObject* dictionary);

}  // namespace cuda_device::bindings
