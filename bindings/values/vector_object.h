// Vectors on the host (DEV-VEC): device.int8x1 to device.float64x4, and Dim3. A vector is a plain
// object with its components in place; kernels' arguments are read from it without Python.
#pragma once

#include "bindings/python.h"
#include "support/scalar.h"

namespace cuda_device::bindings {

inline constexpr int kMostVectorLanes = 4;

struct VectorObject {
  PyObject_HEAD ScalarKind scalar;
  uint8_t lanes;
  alignas(8) unsigned char data[32];  // the components, as in memory

  int bytes_of_component() const { return bytes_of(scalar); }
  size_t bytes() const { return size_t{lanes} * static_cast<size_t>(bytes_of_component()); }
  const unsigned char* component(int i) const { return data + i * bytes_of_component(); }
  unsigned char* component(int i) { return data + i * bytes_of_component(); }
};

// Whether it is an instance of a vector type, or of a subclass of one.
bool is_vector(PyObject* object);
const void* data_of_vector(PyObject* vector);
inline VectorObject& vector_of(PyObject* vector) {
  return *reinterpret_cast<VectorObject*>(vector);
}

// device.float32x4 and its like, and what is derived from one: Dim3. Not device.Vector itself.
bool is_vector_type(PyTypeObject* type);
ScalarKind scalar_of_vector(PyTypeObject* type);
int lanes_of_vector(PyTypeObject* type);
// Null where there is no such vector: of bool, or of other than one to four components.
PyTypeObject* vector_type(ScalarKind scalar, int lanes);

// A vector with these components, or with zeros where `data` is null.
nb::object make_vector(PyTypeObject* type, const void* data);

// The name after its module, "float32x2", "Dim3".
const char* short_name(PyTypeObject* type);

void register_vectors(nb::module_& module);

}  // namespace cuda_device::bindings
