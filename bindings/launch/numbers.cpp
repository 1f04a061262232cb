// Python's and NumPy's numbers as arguments.
#include <cmath>

#include "bindings/launch/call.h"
#include "bindings/numpy.h"
#include "bindings/source/value.h"
#include "bindings/values/number_range.h"
#include "support/float_format.h"

namespace cuda_device::bindings {
namespace {

using Kind = frontend::ArgumentType::Kind;

[[noreturn]] void int_out_of_range(const Call& call, PyObject* object, const char* bits,
                                   const char* hint) {
  call.fail(DiagCode::int_range, {shown(object), bits, hint});
}

[[noreturn]] void refuse_scalar(const Call& call, PyObject* object) {
  nb::object descr = checked(reinterpret_cast<PyObject*>(PyArray_DescrFromScalar(object)));
  if (is_planned_format(descr))
    call.fail(DiagCode::argument_not_yet, {"'" + type_text(object) + "'"});
  const bool number = PyArray_IsScalar(object, Number) || PyArray_IsScalar(object, Datetime);
  if (!number) call.fail(DiagCode::argument_type, {"'" + type_text(object) + "'"});
  call.fail(DiagCode::argument_dtype,
            {"numbers of '" + to_string(nb::object(nb::str(descr))) + "'"});
}

[[noreturn]] void out_of_declared_range(const Call& call, PyObject* object,
                                        const DeclaredFormat& format) {
  const ScalarKind part = *format.number;
  const std::string name = !format.is_complex        ? std::string(name_of(part))
                           : part == ScalarKind::F64 ? "complex128"
                                                     : "complex64";
  call.fail(DiagCode::declared_range, {shown(object), name, range_of(part)});
}

// The bits of a number in the float format that is declared, or of a part of it: rounded once.
int64_t declared_bits(const Call& call, const DeclaredFormat& format, PyObject* object,
                      double value) {
  if (overflows(*format.number, value)) out_of_declared_range(call, object, format);
  return float_bits(*format.number, value);
}

void add_declared_complex(Call& call, const DeclaredFormat& format, int64_t real, int64_t imag) {
  const auto bytes = static_cast<size_t>(bytes_of(*format.number));
  alignas(8) char parts[16];
  std::memcpy(parts, &real, bytes);  // the low bytes of each
  std::memcpy(parts + bytes, &imag, bytes);
  call.add_complex(*format.number, parts);
}

// A real number; its bits are in the low bytes.
void add_declared(Call& call, const DeclaredFormat& format, int64_t bits) {
  if (format.is_complex) return add_declared_complex(call, format, bits, 0);
  call.add_scalar(*format.number, &bits);
}

// A Python int for a parameter with a fixed format: exact, or rounded once to a float format.
void add_declared_int(Call& call, const DeclaredFormat& declared, PyObject* object) {
  const ScalarKind format = *declared.number;
  const syntax::Value number = constant_of(object).value();
  const bool known = number.kind == syntax::Value::Kind::Int;  // up to 128 bits
  if (is_int(format)) {
    if (!known || !fits(number.integer, format)) out_of_declared_range(call, object, declared);
    return call.add_scalar(format, &number.integer);  // its low bytes
  }
  double wide = PyLong_AsDouble(object);
  if (wide == -1 && PyErr_Occurred()) {
    PyErr_Clear();
    out_of_declared_range(call, object, declared);
  }
  const int64_t rounded = declared_bits(call, declared, object, wide);
  add_declared(call, declared, known ? float_bits_of_integer(format, number.integer) : rounded);
}

}  // namespace

// Python's int is int32 in a kernel (DEV-NUM-03), int64 in one with wide builtins, or what an
// annotation of the parameter says.
void add_python_int(Call& call, PyObject* object) {
  if (const DeclaredFormat* format = call.declared(); format && !is_bool(*format->number))
    return add_declared_int(call, *format, object);
  int overflow = 0;
  long value = PyLong_AsLongAndOverflow(object, &overflow);
  if (value == -1 && !overflow && PyErr_Occurred()) throw nb::python_error();
  if (call.wide_builtins()) {
    if (overflow) int_out_of_range(call, object, "64", "pass it as a float");
    return call.add_weak<int64_t>(Kind::WeakInt, {value});
  }
  if (overflow || value < INT32_MIN || value > INT32_MAX)
    int_out_of_range(call, object, "32", "pass a fixed-format number such as numpy.int64");
  call.add_weak<int32_t>(Kind::WeakInt, {static_cast<int32_t>(value)});
}

// Python's float is float32 in a kernel (DEV-NUM-04), or the float that an annotation of the
// parameter says; infinities and NaN are themselves.
void add_python_float(Call& call, PyObject* object) {
  double value = PyFloat_AS_DOUBLE(object);
  if (const DeclaredFormat* format = call.declared(); format && is_float(*format->number))
    return add_declared(call, *format, declared_bits(call, *format, object, value));
  if (call.wide_builtins()) return call.add_weak<double>(Kind::WeakFloat, {value});
  const auto rounded = static_cast<float>(value);
  if (std::isinf(rounded) && std::isfinite(value))
    call.fail(DiagCode::float_range, {shown(object)});
  call.add_weak<float>(Kind::WeakFloat, {rounded});
}

// Python's complex is complex64 in a kernel (DEV-NUM-05), or what an annotation says.
void add_python_complex(Call& call, PyObject* object) {
  const Py_complex value = PyComplex_AsCComplex(object);
  if (const DeclaredFormat* format = call.declared(); format && format->is_complex)
    return add_declared_complex(call, *format, declared_bits(call, *format, object, value.real),
                                declared_bits(call, *format, object, value.imag));
  if (call.wide_builtins())
    return call.add_weak<double>(Kind::WeakComplex, {value.real, value.imag});
  const float parts[2] = {static_cast<float>(value.real), static_cast<float>(value.imag)};
  const double given[2] = {value.real, value.imag};
  for (int i = 0; i < 2; ++i)
    if (std::isinf(parts[i]) && std::isfinite(given[i]))
      call.fail(DiagCode::complex_range, {shown(object)});
  call.add_weak(Kind::WeakComplex, parts);
}

// Its operators are its own, though it is an int32 to NumPy.
static void add_warp_mask(Call& call, PyObject* object) {
  uint32_t bits = 0;
  PyArray_ScalarAsCtype(object, &bits);
  write_plain(call.key, frontend::ArgumentType::Kind::Mask);
  std::memcpy(call.params.extend(sizeof bits, sizeof bits), &bits, sizeof bits);
}

void add_numpy_scalar(Call& call, PyObject* object) {
  if (is_warp_mask(object)) return add_warp_mask(call, object);
  const int number = type_number_of_scalar(object);
  if (number == NPY_CFLOAT || number == NPY_CDOUBLE) {
    alignas(8) char parts[16];
    PyArray_ScalarAsCtype(object, parts);
    return call.add_complex(number == NPY_CFLOAT ? ScalarKind::F32 : ScalarKind::F64, parts);
  }
  std::optional<ScalarKind> scalar = scalar_of_type_number(type_number_of_scalar(object));
  if (!scalar) refuse_scalar(call, object);
  alignas(8) char bits[8] = {};
  copy_scalar(object, *scalar, bits);
  call.add_scalar(*scalar, bits);
}

}  // namespace cuda_device::bindings
