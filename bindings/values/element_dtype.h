// Vectors and structs as elements of NumPy's arrays (python/cuda/device/_elements.py).
#pragma once

#include "bindings/python.h"
#include "support/scalar.h"

namespace cuda_device::bindings {

// The structured dtype with fields x, y, z, w and the vector's size and alignment.
nb::object numpy_dtype_of_vector(ScalarKind scalar, int lanes);

// The vector type or the struct that elements of a dtype stand for, views and copies included;
// null: none, or a struct that is no more.
nb::object type_of_elements(PyObject* dtype);

void register_element_dtypes(nb::module_& module);

}  // namespace cuda_device::bindings
