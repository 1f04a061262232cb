// What Python does with vectors: the slots of device.Vector, which its types inherit.
#pragma once

#include <vector>

#include "bindings/python.h"

namespace cuda_device::bindings {

// One entry of a type's table.
template <class F>
PyType_Slot slot(int id, F* function) {
  return {id, reinterpret_cast<void*>(function)};
}

// Everything but construction; without the end mark.
std::vector<PyType_Slot> vector_slots();
// + - * / // % ** & | ^ << >> divmod, and - + ~ abs (vector_operators.cpp).
void add_operators(std::vector<PyType_Slot>& slots);
// Whether all components are equal, compared as the type they have in common, integers exactly;
// nothing where they have none (vector_operators.cpp).
bool have_equal_components(PyObject* a, PyObject* b);

}  // namespace cuda_device::bindings
