// Python's and NumPy's numbers as arguments.
#include <cmath>

#include "bindings/launch/call.h"
#include "bindings/numpy.h"

namespace cuda_device::bindings {
namespace {

// The number for a message; a long one is cut.
std::string shown(PyObject* number) {
  nb::object text = nb::steal(PyObject_Repr(number));
  if (!text) {
    PyErr_Clear();
    return "a very large int";
  }
  std::string digits = to_string(text);
  return digits.size() <= 40 ? digits : digits.substr(0, 37) + "...";
}

}  // namespace

// Python's int is int32 in a kernel (DEV-NUM-03).
void add_python_int(Call& call, PyObject* object) {
  int overflow = 0;
  long value = PyLong_AsLongAndOverflow(object, &overflow);
  if (value == -1 && !overflow && PyErr_Occurred()) throw nb::python_error();
  if (overflow || value < INT32_MIN || value > INT32_MAX)
    call.fail(DiagCode::int_range, {shown(object)});
  call.add_weak_int(static_cast<int32_t>(value));
}

// Python's float is float32 in a kernel (DEV-NUM-04); infinities and NaN are themselves.
void add_python_float(Call& call, PyObject* object) {
  double value = PyFloat_AS_DOUBLE(object);
  float rounded = static_cast<float>(value);
  if (std::isinf(rounded) && std::isfinite(value))
    call.fail(DiagCode::float_range, {shown(object)});
  call.add_weak_float(rounded);
}

void add_numpy_scalar(Call& call, PyObject* object) {
  std::optional<ScalarKind> scalar = scalar_of_type_number(type_number_of_scalar(object));
  if (!scalar) {
    bool number = PyArray_IsScalar(object, Number);
    call.fail(number ? DiagCode::argument_not_yet : DiagCode::argument_type,
              {"'" + type_text(object) + "'"});
  }
  alignas(8) char bits[8] = {};
  PyArray_ScalarAsCtype(object, bits);
  call.add_scalar(*scalar, bits);
}

}  // namespace cuda_device::bindings
