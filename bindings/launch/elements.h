// What the elements of an array of NumPy are where they are no plain numbers: complex numbers, vectors,
// structs, records.
#pragma once

#include "bindings/python.h"
#include "frontend/request.h"
#include "support/dtype.h"

namespace cuda_device::bindings {

struct Elements {
  DtypeId dtype;
  frontend::ArgumentType::Kind kind = frontend::ArgumentType::Kind::Scalar;
  ScalarKind item = ScalarKind::Bool;  // of complex numbers and vectors
  uint8_t lanes = 0;                   // of vectors
  nb::object type = {};                // of records: a class or a canonical dtype
};

// Nothing: kernels do not take such elements; `reason` is the part that they do not.
std::optional<Elements> elements_of_dtype(PyObject* dtype, std::string& reason);

}  // namespace cuda_device::bindings
