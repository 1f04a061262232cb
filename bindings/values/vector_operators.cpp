// Arithmetic of vectors, component by component (promotion.md, section 6; an extension).
#include <cstring>

#include "bindings/errors.h"
#include "bindings/numpy.h"
#include "bindings/values/component.h"
#include "bindings/values/vector_arithmetic.h"
#include "bindings/values/vector_object.h"
#include "bindings/values/vector_promotion.h"
#include "bindings/values/vector_slots.h"
#include "support/float_format.h"

namespace cuda_device::bindings {
namespace {

// One side of an operator: a vector, or a number that stands for each component.
struct Operand {
  PyObject* object = nullptr;
  const VectorObject* vector = nullptr;
  TypeCode code = TypeCode::b1;
};

// Nothing for what vectors do not compute with: complex numbers, None, tuples, arrays.
std::optional<Operand> operand_of(PyObject* object) {
  if (is_vector(object)) {
    const VectorObject& vector = vector_of(object);
    return Operand{object, &vector, frontend::code_of(vector.scalar)};
  }
  if (PyBool_Check(object)) return Operand{object, nullptr, TypeCode::b1};
  if (PyArray_IsScalar(object, Generic)) {
    const auto scalar = scalar_of_type_number(type_number_of_scalar(object));
    if (!scalar) return std::nullopt;
    return Operand{object, nullptr, frontend::code_of(*scalar)};
  }
  if (PyLong_Check(object)) return Operand{object, nullptr, TypeCode::weak_int};
  if (PyFloat_Check(object)) return Operand{object, nullptr, TypeCode::weak_float};
  return std::nullopt;
}

constexpr const char* kSigns[] = {"+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>"};

std::string name_of_type(PyObject* object) {
  return is_vector(object) ? short_name(Py_TYPE(object)) : type_text(object);
}

std::string operation_text(VectorOp op, PyObject* a, PyObject* b) {
  return "'" + name_of_type(a) + " " + kSigns[static_cast<int>(op)] + " " + name_of_type(b) + "'";
}
std::string operation_text(VectorOp op, const Operand& a, const Operand& b) {
  return operation_text(op, a.object, b.object);
}

// NumPy leaves the operator to vectors, and would try to concatenate after that.
nb::object refuse_array(VectorOp op, PyObject* a, PyObject* b) {
  throw nb::type_error((operation_text(op, a, b) +
                        ": vectors compute with vectors and numbers; np.asarray(v) is an array")
                           .c_str());
}

TypeCode common_of(VectorOp op, const Operand& a, const Operand& b) {
  if (const auto common = common_type(a.code, b.code)) return *common;
  throw nb::type_error(
      (operation_text(op, a, b) + ": no promotion is defined for this pair; convert one side")
          .c_str());
}

// How many components the result has.
int lanes_of(VectorOp op, const Operand& a, const Operand& b) {
  if (!a.vector || !b.vector || a.vector->lanes == b.vector->lanes)
    return a.vector ? a.vector->lanes : b.vector->lanes;
  throw nb::type_error((operation_text(op, a, b) + ": vectors of " +
                        std::to_string(a.vector->lanes) + " and of " +
                        std::to_string(b.vector->lanes) + " components")
                           .c_str());
}

bool is_bitwise(VectorOp op) { return op >= VectorOp::And; }

// The components of one side, each in the format `to`. A Python number has to fit (OverflowError).
struct Components {
  int64_t bits[kMostVectorLanes];

  Components(const Operand& from, ScalarKind to, const Operand& other) {
    for (int i = 0; i < kMostVectorLanes; ++i) bits[i] = 0;
    if (from.vector) {
      for (int i = 0; i < from.vector->lanes; ++i)
        bits[i] = converted(from.vector->scalar, to,
                            component_bits(from.vector->scalar, from.vector->component(i)));
      return;
    }
    alignas(8) unsigned char at[8] = {};
    store_component(to, at, from.object, {short_name(Py_TYPE(other.object)), 0});
    for (int64_t& each : bits) each = component_bits(to, at);
  }
};

template <class F>
nb::object made_of(ScalarKind kind, int lanes, F&& bits_of_lane) {
  nb::object made = make_vector(vector_type(kind, lanes), nullptr);
  VectorObject& vector = vector_of(made.ptr());
  for (int i = 0; i < lanes; ++i) {
    const int64_t bits = bits_of_lane(i);
    std::memcpy(vector.component(i), &bits, static_cast<size_t>(vector.bytes_of_component()));
  }
  return made;
}

bool is_negative_int(const Operand& operand) {
  if (operand.vector || operand.code != TypeCode::weak_int) return false;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(operand.object, &overflow);
  return overflow < 0 || (!overflow && value < 0);
}

// Exponents of integers keep their own format: 2 ** 300 of int8 is fine, and wraps.
nb::object whole_power(const Operand& a, const Operand& b, ScalarKind kind, int lanes) {
  const bool weak = b.code == TypeCode::weak_int;
  const ScalarKind from = weak ? ScalarKind::I64 : *frontend::scalar_of(b.code);
  const Components bases(a, kind, b), exponents(b, from, a);
  return made_of(kind, lanes, [&](int i) {
    const int64_t exponent = exponents.bits[i];
    return integer_power(kind, bases.bits[i], exponent, is_signed_int(from) && exponent < 0);
  });
}

nb::object apply(VectorOp op, const Operand& a, const Operand& b) {
  const int lanes = lanes_of(op, a, b);
  TypeCode code = common_of(op, a, b);
  const bool whole = !is_float(code);
  if (is_bitwise(op) && !whole)
    throw nb::type_error((operation_text(op, a, b) + ": both sides have to be integers").c_str());
  if (op == VectorOp::Pow && whole) {
    if (!is_negative_int(b)) return whole_power(a, b, *frontend::scalar_of(code), lanes);
    code = true_divide_type(a.code, b.code, code);  // a fraction
  } else if (op == VectorOp::Div && whole) {
    const ScalarKind fits = *frontend::scalar_of(code);
    for (const Operand* side : {&a, &b})
      if (!side->vector) Components(*side, fits, side == &a ? b : a);
    code = true_divide_type(a.code, b.code, code);
  }
  const ScalarKind kind = *frontend::scalar_of(code);
  const Components x(a, kind, b), y(b, kind, a);
  return made_of(kind, lanes, [&](int i) { return compute(op, kind, x.bits[i], y.bits[i]); });
}

template <VectorOp op>
PyObject* binary(PyObject* left, PyObject* right) {
  const std::optional<Operand> a = operand_of(left), b = operand_of(right);
  if (a && b) return guarded([&] { return apply(op, *a, *b); });
  if (PyArray_Check(left) || PyArray_Check(right))
    return guarded([&] { return refuse_array(op, left, right); });
  Py_RETURN_NOTIMPLEMENTED;
}

PyObject* power(PyObject* base, PyObject* exponent, PyObject* modulus) {
  if (modulus != Py_None) Py_RETURN_NOTIMPLEMENTED;
  return binary<VectorOp::Pow>(base, exponent);
}

PyObject* divide_with_rest(PyObject* left, PyObject* right) {
  const std::optional<Operand> a = operand_of(left), b = operand_of(right);
  if (!a || !b) Py_RETURN_NOTIMPLEMENTED;
  return guarded([&] {
    return nb::make_tuple(apply(VectorOp::FloorDiv, *a, *b), apply(VectorOp::Mod, *a, *b));
  });
}

template <int64_t (*function)(ScalarKind, int64_t)>
PyObject* unary(PyObject* self) {
  return guarded([&] {
    const VectorObject& vector = vector_of(self);
    return made_of(vector.scalar, vector.lanes, [&](int i) {
      return function(vector.scalar, component_bits(vector.scalar, vector.component(i)));
    });
  });
}

int64_t same(ScalarKind, int64_t a) { return a; }

PyObject* invert(PyObject* self) {
  if (is_int(vector_of(self).scalar)) return unary<inverted>(self);
  PyErr_Format(PyExc_TypeError, "'~' works on integers, not on %s", short_name(Py_TYPE(self)));
  return nullptr;
}

}  // namespace

bool have_equal_components(PyObject* left, PyObject* right) {
  const VectorObject &a = vector_of(left), &b = vector_of(right);
  const auto common = common_type(frontend::code_of(a.scalar), frontend::code_of(b.scalar));
  if (!common) return false;
  const bool integers = is_int(a.scalar) && is_int(b.scalar);
  for (int i = 0; i < a.lanes; ++i) {
    const int64_t x = component_bits(a.scalar, a.component(i));
    const int64_t y = component_bits(b.scalar, b.component(i));
    if (integers) {
      // Equal bits are equal numbers, unless one is negative and the other beyond int64.
      const bool other_sign = is_signed_int(a.scalar) != is_signed_int(b.scalar) && x < 0;
      if (x != y || other_sign) return false;
      continue;
    }
    const ScalarKind in = *frontend::scalar_of(*common);
    const int64_t u = converted(a.scalar, in, x), v = converted(b.scalar, in, y);
    if (float_of_bits(in, u) != float_of_bits(in, v)) return false;
  }
  return true;
}

void add_operators(std::vector<PyType_Slot>& slots) {
  const PyType_Slot operators[] = {slot(Py_nb_add, binary<VectorOp::Add>),
                                   slot(Py_nb_subtract, binary<VectorOp::Sub>),
                                   slot(Py_nb_multiply, binary<VectorOp::Mul>),
                                   slot(Py_nb_true_divide, binary<VectorOp::Div>),
                                   slot(Py_nb_floor_divide, binary<VectorOp::FloorDiv>),
                                   slot(Py_nb_remainder, binary<VectorOp::Mod>),
                                   slot(Py_nb_and, binary<VectorOp::And>),
                                   slot(Py_nb_or, binary<VectorOp::Or>),
                                   slot(Py_nb_xor, binary<VectorOp::Xor>),
                                   slot(Py_nb_lshift, binary<VectorOp::Shl>),
                                   slot(Py_nb_rshift, binary<VectorOp::Shr>),
                                   slot(Py_nb_power, power),
                                   slot(Py_nb_divmod, divide_with_rest),
                                   slot(Py_nb_negative, unary<negated>),
                                   slot(Py_nb_positive, unary<same>),
                                   slot(Py_nb_absolute, unary<magnitude>),
                                   slot(Py_nb_invert, invert)};
  slots.insert(slots.end(), std::begin(operators), std::end(operators));
}

}  // namespace cuda_device::bindings
