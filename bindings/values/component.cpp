#include "bindings/values/component.h"

#include <cmath>
#include <cstring>

#include "bindings/numpy.h"
#include "bindings/source/value.h"
#include "bindings/values/number_range.h"
#include "ir/evaluate.h"
#include "support/float_format.h"

namespace cuda_device::bindings {
namespace {

struct Target {
  ScalarKind format;
  void* at;
  const ConversionPlace& place;

  void write(int64_t bits) const { std::memcpy(at, &bits, static_cast<size_t>(bytes_of(format))); }
};

[[noreturn]] void throw_error(PyObject* type, const std::string& text) {
  PyErr_SetString(type, text.c_str());
  throw nb::python_error();
}

[[noreturn]] void out_of_range(const Target& to, PyObject* value) {
  throw_error(PyExc_OverflowError,
              to.place.text() + ": " + shown(value) + " is out of the range of " +
                  std::string(name_of(to.format)) + ", " + range_of(to.format));
}

[[noreturn]] void no_number(const Target& to, PyObject* value) {
  throw_error(PyExc_TypeError,
              to.place.text() + " expects a real number, found '" + type_text(value) + "'");
}

// Python's float, or what became one.
void store_double(const Target& to, double number, PyObject* value) {
  if (is_float(to.format)) {
    if (overflows(to.format, number)) out_of_range(to, value);
    return to.write(float_bits(to.format, number));
  }
  if (std::isnan(number))
    throw_error(PyExc_ValueError,
                to.place.text() + ": cannot convert nan to " + std::string(name_of(to.format)));
  constexpr double kBeyondAll = 0x1p65;
  if (!(std::fabs(number) < kBeyondAll) || !fits(static_cast<__int128>(number), to.format))
    out_of_range(to, value);
  to.write(static_cast<int64_t>(static_cast<__int128>(number)));  // its low bytes
}

// Stores a number of more than 64 bits.
void store_big(const Target& to, PyObject* number) {
  const syntax::Value exact = constant_of(number).value();
  const bool known = exact.kind == syntax::Value::Kind::Int;  // up to 128 bits
  if (is_int(to.format)) {
    if (!known || !fits(exact.integer, to.format)) out_of_range(to, number);
    return to.write(static_cast<int64_t>(exact.integer));
  }
  const double wide = PyLong_AsDouble(number);
  if (wide == -1 && PyErr_Occurred()) PyErr_Clear(), out_of_range(to, number);
  if (overflows(to.format, wide)) out_of_range(to, number);
  to.write(known ? float_bits_of_integer(to.format, exact.integer) : float_bits(to.format, wide));
}

void store_int(const Target& to, PyObject* number) {
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow) return store_big(to, number);
  if (is_int(to.format)) {
    if (!fits(small, to.format)) out_of_range(to, number);
    return to.write(small);
  }
  if (overflows(to.format, static_cast<double>(small))) out_of_range(to, number);
  to.write(float_bits_of_integer(to.format, small));
}

bool store_numpy(const Target& to, PyObject* value) {
  const std::optional<ScalarKind> from = scalar_of_type_number(type_number_of_scalar(value));
  if (!from) return false;
  alignas(8) char bytes[8] = {};
  copy_scalar(value, *from, bytes);
  to.write(ir::evaluator(ir::Op::Convert, *from, to.format)(component_bits(*from, bytes), 0, 0));
  return true;
}

// Whether a number of this type keeps its value in the format, if it is in range.
bool is_lossless(ScalarKind to, PyObject* value) {
  if (PyArray_IsScalar(value, Generic)) {
    const std::optional<ScalarKind> from = scalar_of_type_number(type_number_of_scalar(value));
    return from && holds_every_value(to, *from);
  }
  if (PyBool_Check(value)) return true;
  if (PyLong_Check(value)) return !is_bool(to);
  return PyFloat_Check(value) && is_float(to);
}

// Arrays and sequences have numbers' methods too.
bool is_container(PyObject* value) {
  const PyTypeObject* type = Py_TYPE(value);
  return (type->tp_as_sequence && type->tp_as_sequence->sq_length) ||
         (type->tp_as_mapping && type->tp_as_mapping->mp_length) ||
         PyObject_HasAttrString(value, "__dlpack__");
}

// A fraction, a decimal, an object with __index__.
void store_other(const Target& to, PyObject* value) {
  const PyNumberMethods* methods = Py_TYPE(value)->tp_as_number;
  const bool is_number = methods && (methods->nb_index || methods->nb_float);
  if (!is_number || is_container(value) || PyComplex_Check(value)) no_number(to, value);
  if (methods->nb_index) return store_int(to, checked(PyNumber_Index(value)).ptr());
  if (is_int(to.format) && methods->nb_int)
    return store_int(to, checked(PyNumber_Long(value)).ptr());
  const nb::object number = checked(PyNumber_Float(value));
  store_double(to, PyFloat_AS_DOUBLE(number.ptr()), value);
}

}  // namespace

std::string ConversionPlace::text() const {
  if (given) return given;
  return std::string("component ") + "xyzw"[component] + " of " + owner;
}

void store_component(ScalarKind format, void* at, PyObject* value, const ConversionPlace& place) {
  const Target to{format, at, place};
  if (PyFloat_CheckExact(value)) return store_double(to, PyFloat_AS_DOUBLE(value), value);
  if (PyLong_CheckExact(value) || PyBool_Check(value)) return store_int(to, value);
  // Before Python's own numbers: np.float64 is a subclass of float.
  if (PyArray_IsScalar(value, Generic)) {
    if (!store_numpy(to, value)) no_number(to, value);
    return;
  }
  if (PyFloat_Check(value)) return store_double(to, PyFloat_AS_DOUBLE(value), value);
  if (PyLong_Check(value)) return store_int(to, value);
  store_other(to, value);
}

void store_lossless(ScalarKind format, void* at, PyObject* value, const ConversionPlace& place) {
  if (!is_lossless(format, value)) {
    const std::string name(name_of(format));
    const bool number = PyNumber_Check(value) && !is_container(value) && !PyComplex_Check(value);
    throw_error(
        PyExc_TypeError,
        place.text() + " is of type " + name + ", found '" + type_text(value) + "'" +
            (number && !is_bool(format)
                 ? ", which does not convert without loss; convert it: device." + name + "(...)"
                 : ""));
  }
  if (is_bool(format)) {
    *static_cast<npy_bool*>(at) = PyObject_IsTrue(value) != 0;
    return;
  }
  store_component(format, at, value, place);
}

nb::object load_component(ScalarKind from, const void* at) {
  auto* descr = reinterpret_cast<PyArray_Descr*>(dtype_of_scalar(from).ptr());
  return checked(PyArray_Scalar(const_cast<void*>(at), descr, nullptr));
}

int64_t component_bits(ScalarKind kind, const void* at) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, static_cast<size_t>(bytes_of(kind)));
  const int unused = 64 - bits_of(kind);
  if (is_signed_int(kind)) return static_cast<int64_t>(bits << unused) >> unused;
  return static_cast<int64_t>(bits);
}

}  // namespace cuda_device::bindings
