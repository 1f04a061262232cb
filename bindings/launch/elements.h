// What the elements of an array are where they are no plain numbers: complex numbers, vectors,
// structs, records.
#pragma once

#include "bindings/launch/key.h"
#include "bindings/python.h"
#include "frontend/request.h"
#include "interop/refusal.h"
#include "support/dtype.h"

namespace cuda_device::bindings {

struct Elements {
  DtypeId dtype;
  frontend::ArgumentType::Kind kind = frontend::ArgumentType::Kind::Scalar;
  ScalarKind item = ScalarKind::Bool;  // of complex numbers and vectors
  uint8_t lanes = 0;                   // of vectors
  nb::object type = {};                // of records: a class or a canonical dtype
};

// Nothing: kernels do not take such elements; `refusal` says why.
std::optional<Elements> elements_of_dtype(PyObject* dtype, interop::Refusal& refusal);

// What the elements of a structured dtype are: a struct, a vector type, or a canonical dtype.
// Null: it is something else, or kernels have no such elements.
nb::object type_of_records(nb::handle object);

class Call;
// The same for the array that is being read, as the launch's key has them; fails where kernels do
// not take them.
DtypeId read_elements(const Call& call, PyObject* dtype, ElementWord& word);

}  // namespace cuda_device::bindings
