#include "bindings/source/value.h"

#include <cstring>

#include "bindings/launch/elements.h"
#include "bindings/numpy.h"
#include "bindings/source/classes.h"
#include "bindings/source/entities.h"
#include "bindings/values/vector_object.h"
#include "support/float_format.h"

namespace cuda_device::bindings {
namespace {

using syntax::Value;

Value make(Value::Kind kind) {
  Value value;
  value.kind = kind;
  return value;
}

Value wide_int(nb::handle object) {
  nb::object number = checked(PyNumber_Index(object.ptr()));
  try {
    nb::object bytes = number.attr("to_bytes")(16, "little", nb::arg("signed") = true);
    Value value = make(Value::Kind::Int);
    std::memcpy(&value.integer, PyBytes_AsString(bytes.ptr()), 16);
    return value;
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_OverflowError)) throw;
  }
  Value value = make(Value::Kind::BigInt);
  try {
    value.text = to_string(checked(PyNumber_ToBase(number.ptr(), 10)));
  } catch (nb::python_error& error) {  // Python refuses to print thousands of digits in decimal
    if (!error.matches(PyExc_ValueError)) throw;
    value.text = to_string(checked(PyNumber_ToBase(number.ptr(), 16)));
  }
  return value;
}

Value int_value(nb::handle object) {
  int overflow = 0;
  long long small = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
  if (small == -1 && PyErr_Occurred()) throw nb::python_error();
  if (overflow) return wide_int(object);
  Value value = make(Value::Kind::Int);
  value.integer = small;
  return value;
}

// The bits of a NumPy scalar; zero above them.
uint64_t scalar_bits(PyObject* object, ScalarKind format) {
  uint64_t bits = 0;
  copy_scalar(object, format, &bits);
  return bits;
}

__int128 integer_bits(uint64_t bits, ScalarKind format) {
  const int unused = 64 - bits_of(format);
  if (is_signed_int(format)) return static_cast<int64_t>(bits << unused) >> unused;
  return bits;
}

Value typed_value(ScalarKind format, uint64_t bits) {
  Value value;
  value.typed = true;
  value.format = format;
  if (is_bool(format)) {
    value.kind = Value::Kind::Bool;
    value.boolean = bits != 0;
  } else if (is_int(format)) {
    value.kind = Value::Kind::Int;
    value.integer = integer_bits(bits, format);
  } else {
    value.kind = Value::Kind::Float;
    value.real = float_of_bits(format, static_cast<int64_t>(bits));
  }
  return value;
}

std::optional<Value> numpy_value(PyObject* object) {
  std::optional<ScalarKind> format = scalar_of_type_number(type_number_of_scalar(object));
  if (!format) return std::nullopt;
  return typed_value(*format, scalar_bits(object, *format));
}

Value mask_value(PyObject* object) {
  Value value = make(Value::Kind::Vector);
  value.text = "WarpMask";
  const auto bits = static_cast<uint32_t>(scalar_bits(object, ScalarKind::I32));
  value.elements.push_back(typed_value(ScalarKind::U32, bits));
  return value;
}

Value vector_value(const VectorObject& vector) {
  Value value = make(Value::Kind::Vector);
  value.text = std::string(name_of(vector.scalar)) + "x" + std::to_string(vector.lanes);
  for (int i = 0; i < vector.lanes; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, vector.component(i), static_cast<size_t>(vector.bytes_of_component()));
    value.elements.push_back(typed_value(vector.scalar, bits));
  }
  return value;
}

Value complex_value(nb::handle object) {
  Py_complex number = PyComplex_AsCComplex(object.ptr());
  Value value = make(Value::Kind::Complex);
  value.real = number.real;
  value.imag = number.imag;
  return value;
}

Value text_value(Value::Kind kind, std::string text) {
  Value value = make(kind);
  value.text = std::move(text);
  return value;
}

// A member of an enumeration, as Python writes it.
Value with_texts(Value value, nb::handle member) {
  value.str = to_string(checked(PyObject_Str(member.ptr())));
  value.repr = to_string(checked(PyObject_Repr(member.ptr())));
  return value;
}

// Tuples and structs within others; deeper ones are no constants.
constexpr int kMaxTuples = 32;

std::optional<Value> constant_within(nb::handle object, int tuples, const StructIndex& structs);

// A named tuple, or a frozen dataclass, by its fields.
std::optional<Value> of_class(Value fields, nb::handle object, const StructIndex& structs) {
  const std::optional<uint32_t> type = structs ? structs(object.type()) : std::nullopt;
  if (!type) return std::nullopt;
  fields.named = true;
  fields.record = *type;
  return fields;
}

std::optional<Value> tuple_value(nb::handle object, int tuples, const StructIndex& structs) {
  if (tuples == kMaxTuples) return std::nullopt;
  Value value = make(Value::Kind::Tuple);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object.ptr()); ++i) {
    std::optional<Value> element =
        constant_within(PyTuple_GET_ITEM(object.ptr(), i), tuples + 1, structs);
    if (!element) return std::nullopt;
    value.elements.push_back(std::move(*element));
  }
  if (Py_TYPE(object.ptr()) == &PyTuple_Type || !is_named_tuple(object.ptr())) return value;
  return of_class(std::move(value), object, structs);
}

std::optional<Value> struct_value(nb::handle object, int tuples, const StructIndex& structs) {
  const std::optional<uint32_t> type = structs ? structs(object.type()) : std::nullopt;
  if (!type) return std::nullopt;
  std::optional<Value> value = tuple_value(field_values(object), tuples, structs);
  if (!value) return std::nullopt;
  value->kind = Value::Kind::Record;
  value->record = *type;
  return value;
}

std::optional<Value> named_value(nb::handle object, int tuples, const StructIndex& structs) {
  if (tuples == kMaxTuples) return std::nullopt;
  Value value = make(Value::Kind::Tuple);
  for (const std::string& name : field_names(object)) {
    std::optional<Value> element =
        constant_within(nb::object(object.attr(name.c_str())), tuples + 1, structs);
    if (!element) return std::nullopt;
    value.elements.push_back(std::move(*element));
  }
  return of_class(std::move(value), object, structs);
}

Value float_value(nb::handle object) {
  Value value = make(Value::Kind::Float);
  value.real = PyFloat_AS_DOUBLE(object.ptr());
  return value;
}

// A string with a lone surrogate is no Unicode text and has no UTF-8.
Value::Kind string_kind(PyObject* text) {
  if (PyUnicode_AsUTF8AndSize(text, nullptr)) return Value::Kind::String;
  if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw nb::python_error();
  PyErr_Clear();
  return Value::Kind::BrokenString;
}

std::optional<Value> type_value(nb::handle type) {
  const std::string* name = entities().find(type);
  if (!name) return std::nullopt;
  return text_value(Value::Kind::Type, *name);
}

// NumPy's dtype: the type that it is of, in this machine's byte order; others by NumPy's text.
Value dtype_value(nb::handle object) {
  auto* descr = reinterpret_cast<PyArray_Descr*>(object.ptr());
  if (PyArray_ISNBO(descr->byteorder))
    if (auto value = type_value(reinterpret_cast<PyObject*>(descr->typeobj))) return *value;
  return text_value(Value::Kind::String, to_string(nb::object(object.attr("str"))));
}

Value bytes_value(nb::handle object) {
  Value value = make(Value::Kind::Array);
  value.format = ScalarKind::U8;
  value.owner = "bytes";
  value.text.assign(PyBytes_AS_STRING(object.ptr()),
                    static_cast<size_t>(PyBytes_GET_SIZE(object.ptr())));
  value.shape = {static_cast<int64_t>(value.text.size())};
  return value;
}

// By its class and name; several names of one value are one member. Its value may be no constant.
std::optional<Value> enum_value(nb::handle object, int tuples, const StructIndex& structs) {
  Value value = make(Value::Kind::Enum);
  nb::object cls = nb::borrow(object.type());
  const std::optional<uint32_t> type = structs && is_enumeration(cls) ? structs(cls) : std::nullopt;
  if (!type) return std::nullopt;
  value.record = *type;
  nb::object name = object.attr("name");
  if (tuples == kMaxTuples) return std::nullopt;
  const nb::object inside = object.attr("value");
  std::optional<Value> inner = constant_within(inside, tuples + 1, structs);
  if (!inner) inner = text_value(Value::Kind::Other, Py_TYPE(inside.ptr())->tp_name);
  value.owner = to_string(cls.attr("__module__")) + "." + to_string(cls.attr("__qualname__"));
  if (!name.is_none()) value.text = to_string(name);
  value.flag = is_flag(object);
  value.elements.push_back(std::move(*inner));
  return with_texts(std::move(value), object);
}

// A member of an IntEnum or IntFlag.
Value int_member(nb::handle object, const StructIndex& structs) {
  Value value = with_texts(int_value(object), object);
  if (is_enumeration(object.type()) && structs) {
    const std::optional<uint32_t> type = structs(object.type());
    const nb::object name = object.attr("name");
    if (!name.is_none()) value.text = to_string(name);
    value.flag = is_flag(object);
    value.named = type.has_value();
    value.record = type.value_or(0);
  }
  return value;
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// Sets of targets, and selectors of architectures, are known by name.
std::optional<Value> target_value(nb::handle object) {
  const std::string* type = entities().find(object.type());
  if (!type) return std::nullopt;
  if (*type == "device.SMSelector") return type_value(object);
  if (*type != "device.TargetDescription") return std::nullopt;
  return text_value(
      Value::Kind::Type,
      *type + " " + to_string(checked(PyObject_Str(nb::object(object.attr("_targets")).ptr()))));
}

std::optional<Value> constant_within(nb::handle object, int tuples, const StructIndex& structs) {
  PyObject* p = object.ptr();
  if (p == Py_None) return make(Value::Kind::None);
  if (p == Py_Ellipsis) return make(Value::Kind::Ellipsis);
  if (PyBool_Check(p)) {
    Value value = make(Value::Kind::Bool);
    value.boolean = p == Py_True;
    return value;
  }
  // Before Python's own numbers: np.float64 is a subclass of float.
  if (is_warp_mask(p)) return mask_value(p);
  if (PyArray_IsScalar(p, Generic) && !PyUnicode_Check(p)) return numpy_value(p);
  if (PyLong_CheckExact(p)) return int_value(object);
  if (PyLong_Check(p))
    return is_enum_member(object) ? int_member(object, structs) : int_value(object);
  if (PyFloat_Check(p)) return float_value(object);
  if (PyComplex_Check(p)) return complex_value(object);
  if (PyUnicode_Check(p)) return text_value(string_kind(p), to_string(object));
  if (PyTuple_Check(p)) return tuple_value(object, tuples, structs);
  if (is_vector(p)) return vector_value(vector_of(p));
  if (is_struct(p)) return struct_value(object, tuples, structs);
  if (is_frozen_dataclass(p)) return named_value(object, tuples, structs);
  if (PyType_Check(p)) return type_value(object);
  if (PyArray_DescrCheck(p)) return dtype_value(object);
  if (PyBytes_Check(p) && PyBytes_GET_SIZE(p) > 0 &&
      static_cast<size_t>(PyBytes_GET_SIZE(p)) <= kMaxConstantArray)
    return bytes_value(object);
  if (is_enum_member(object)) return enum_value(object, tuples, structs);
  return target_value(object);
}

}  // namespace

std::optional<Value> constant_of(nb::handle object, const StructIndex& structs) {
  return constant_within(object, 0, structs);
}

// A struct gives copies of its vectors.
bool is_mutable(nb::handle object) {
  if (!object.is_valid()) return false;
  if (!PyTuple_Check(object.ptr())) return is_vector(object.ptr()) || PyArray_Check(object.ptr());
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(object.ptr()); ++i)
    if (is_mutable(PyTuple_GET_ITEM(object.ptr(), i))) return true;
  return false;
}

// Elements that are no plain numbers; nothing: kernels have no such ones.
static std::optional<syntax::FieldType> record_elements(PyArrayObject* array,
                                                        const StructIndex& structs) {
  const bool complex = PyArray_TYPE(array) == NPY_CFLOAT || PyArray_TYPE(array) == NPY_CDOUBLE;
  if (!complex && !PyArray_HASFIELDS(array)) return std::nullopt;
  interop::Refusal refusal;
  auto* dtype = reinterpret_cast<PyObject*>(PyArray_DESCR(array));
  const std::optional<Elements> elements = elements_of_dtype(dtype, refusal);
  if (!elements) return std::nullopt;
  syntax::FieldType type;
  if (complex) {
    type.name = elements->item == ScalarKind::F64 ? "complex128" : "complex64";
  } else if (elements->kind == frontend::ArgumentType::Kind::Vector) {
    type.name = std::string(name_of(elements->item)) + "x" + std::to_string(elements->lanes);
  } else {
    const std::optional<uint32_t> index = structs(elements->type);
    if (!index) return std::nullopt;
    type.kind = syntax::FieldType::Kind::Class;
    type.type = *index;
  }
  return type;
}

// The elements in C order. What lies between fields is zero, as NumPy copies them one by one:
// equal records have equal bytes.
static std::string packed_elements(PyArrayObject* array) {
  if (!PyArray_HASFIELDS(array) && PyArray_IS_C_CONTIGUOUS(array))
    return {PyArray_BYTES(array), static_cast<size_t>(PyArray_NBYTES(array))};
  PyArray_Descr* dtype = PyArray_DESCR(array);
  Py_INCREF(dtype);
  nb::object packed = checked(PyArray_Zeros(PyArray_NDIM(array), PyArray_DIMS(array), dtype, 0));
  auto* to = reinterpret_cast<PyArrayObject*>(packed.ptr());
  if (PyArray_CopyInto(to, array) < 0) throw nb::python_error();
  return {PyArray_BYTES(to), static_cast<size_t>(PyArray_NBYTES(to))};
}

std::optional<Value> constant_array(nb::handle object, const StructIndex& structs) {
  if (!PyArray_CheckExact(object.ptr())) return std::nullopt;
  auto* array = reinterpret_cast<PyArrayObject*>(object.ptr());
  if (!PyArray_ISNOTSWAPPED(array) ||
      static_cast<size_t>(PyArray_NBYTES(array)) > kMaxConstantArray)
    return std::nullopt;
  Value value = make(Value::Kind::Array);
  if (const auto format = scalar_of_type_number(PyArray_TYPE(array))) {
    value.format = *format;
  } else {
    value.element = record_elements(array, structs);
    if (!value.element) return std::nullopt;
  }
  value.shape.assign(PyArray_DIMS(array), PyArray_DIMS(array) + PyArray_NDIM(array));
  value.text = packed_elements(array);
  return value;
}

std::optional<syntax::Binding> array_binding(nb::handle object, const StructIndex& structs) {
  std::optional<Value> array = constant_array(object, structs);
  if (!array) return std::nullopt;
  syntax::Binding binding;
  binding.kind = syntax::Binding::Kind::Constant;
  binding.value = std::move(*array);
  return binding;
}

bool same_value(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.typed != b.typed || a.format != b.format) return false;
  if (a.named != b.named || a.record != b.record) return false;
  if (a.boolean != b.boolean || a.integer != b.integer || a.text != b.text) return false;
  if (!same_bits(a.real, b.real) || !same_bits(a.imag, b.imag)) return false;
  if (a.shape != b.shape || a.element != b.element || a.owner != b.owner || a.flag != b.flag)
    return false;
  if (a.elements.size() != b.elements.size()) return false;
  for (size_t i = 0; i < a.elements.size(); ++i)
    if (!same_value(a.elements[i], b.elements[i])) return false;
  return true;
}

}  // namespace cuda_device::bindings
