// Elements that a dictionary describes by 'typestr' and 'descr', as records.
#pragma once

#include "bindings/python.h"

namespace cuda_device::bindings {

// Their dtype. Python reads a description once; after that one that says the same is found. Null:
// it is malformed, or of classes whose objects may mean something else the next time.
nb::object dtype_of_description(PyObject* typestr, PyObject* descr);

}  // namespace cuda_device::bindings
