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
  PyObject* type = nullptr;            // of records: a class or a canonical dtype; kept with the dtype
};

// Null: kernels do not take such elements. Valid until the next call, which needs the GIL as this one does.
const Elements* elements_of_dtype(PyObject* dtype);
// Of a dtype that they do not take: the part that they do not.
std::string foreign_part_of(PyObject* dtype);

}  // namespace cuda_device::bindings
