// Functions of NumPy on numbers that neither math nor an operator has, with NumPy's treatment of
// NaN; np.iinfo, np.finfo and np.dtype.
#include "frontend/calls/handlers.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "frontend/arrays/arrays.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/records/records.h"

namespace cuda_device::frontend {

// The numbers in the type that they meet in; empty after an error.
static std::vector<Value> in_common_type(Context& ctx, const Arguments& a, const Intrinsic& i) {
  std::vector<Value> out;
  TypeCode code = TypeCode::b1;
  for (size_t k = 0; k < a.positional.size(); ++k) {
    const Value& v = a.positional[k];
    if (!require_number(ctx, v, argument_node(a, k), i.short_name() + "()")) return {};
    const auto common = k == 0 ? v.code() : ctx.policy.unify(code, v.code());
    if (!common) {
      error(ctx, DiagCode::no_common_choice, a.node, {name_of(code).data(), type_text(v)});
      return {};
    }
    code = *common;
  }
  for (size_t k = 0; k < a.positional.size(); ++k) {
    out.push_back(convert(ctx, a.positional[k], code, argument_node(a, k)));
    if (out.back().is_unknown()) return {};
  }
  return out;
}

// v != v
static Value is_nan(Context& ctx, const Value& v, const Node* node) {
  if (!is_float(v.code())) return Value::boolean(false);
  if (v.exact()) return Value::boolean(std::isnan(v.exact()->real));
  ctx.at(node);
  return Value::number(TypeCode::b1, ctx.builder.op(Op::IsNan, {v.inst()}));
}

// `test ? a : b`, of one type.
static Value chosen(Context& ctx, const Value& test, const Value& a, const Value& b,
                    const Node* node) {
  if (test.is_unknown()) return test;
  if (test.exact()) return test.exact()->integer ? a : b;
  return select(ctx, test, a, b, Value::number(a.code(), nullptr), node);
}

// The lesser or greater of two of one type. NaN wins, or with `skips_nan` loses.
static Value extreme(Context& ctx, const Value& a, const Value& b, CompareOp better, bool skips_nan,
                     const Node* node) {
  const Value test = compare(ctx, better, a, b, node);
  const Value nan = is_nan(ctx, skips_nan ? b : a, node);
  return chosen(ctx, both(ctx, test, nan, Op::Or, node), a, b, node);
}

Value call_numpy_least(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const std::vector<Value> v = in_common_type(ctx, a, i);
  if (v.empty()) return Value::unknown();
  const std::string name = i.short_name();
  const bool least = name == "minimum" || name == "fmin";
  return extreme(ctx, v[0], v[1], least ? CompareOp::Lt : CompareOp::Gt, name.starts_with("f"),
                 a.node);
}

// minimum(maximum(x, low), high)
Value call_numpy_clip(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const std::vector<Value> v = in_common_type(ctx, a, i);
  if (v.empty()) return Value::unknown();
  const Value above = extreme(ctx, v[0], v[1], CompareOp::Gt, false, a.node);
  return extreme(ctx, above, v[2], CompareOp::Lt, false, a.node);
}

// Both alternatives are evaluated, as NumPy evaluates them.
Value call_numpy_where(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value test = truth(ctx, a.positional[0], argument_node(a, 0));
  if (test.is_unknown()) return test;
  const Value &then = a.positional[1], &otherwise = a.positional[2];
  const auto joined = join(ctx, abstract_of(then), abstract_of(otherwise));
  if (!joined || !is_selectable(*joined))
    return error(ctx, DiagCode::no_common_choice, a.node, {type_text(then), type_text(otherwise)});
  if (!test.exact()) return select(ctx, test, then, otherwise, *joined, a.node);
  const Value& one = test.exact()->integer ? then : otherwise;
  return joined->is_number() ? convert(ctx, one, joined->code(), a.node) : one;
}

// -1, 0, 1 or NaN, in the type of the number.
Value call_numpy_sign(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value& x = a.positional[0];
  if (!require_number(ctx, x, argument_node(a, 0), "sign()")) return Value::unknown();
  if (is_bool(x.code()))
    return error(ctx, DiagCode::not_a_number, argument_node(a, 0),
                 {"sign()", type_text(x), "convert it with int()"});
  const Value zero = Value::constant_int(TypeCode::weak_int, 0);
  const auto constant = [&](int value) {
    return convert(ctx, Value::constant_int(TypeCode::weak_int, value), x.code(), a.node);
  };
  const Value above = compare(ctx, CompareOp::Gt, x, zero, a.node);
  const Value none = compare(ctx, CompareOp::Eq, x, zero, a.node);
  Value result = chosen(ctx, none, constant(0), x, a.node);
  if (!is_unsigned(x.code())) {
    const Value below = compare(ctx, CompareOp::Lt, x, zero, a.node);
    result = chosen(ctx, below, constant(-1), result, a.node);
  }
  return chosen(ctx, above, constant(1), result, a.node);
}

Value call_numpy_square(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value& x = a.positional[0];
  return binary(ctx, BinaryOp::Mult, x, x, a.node, argument_node(a, 0), argument_node(a, 0));
}

// To the nearest integer, as a float.
Value call_numpy_rint(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value& x = a.positional[0];
  if (!require_number(ctx, x, argument_node(a, 0), "rint()")) return Value::unknown();
  const Value v = convert(ctx, x, ctx.policy.math_argument(x.code()), a.node);
  if (v.is_unknown()) return v;
  if (v.exact()) return Value::constant(v.code(), {0, std::nearbyint(v.exact()->real)});
  return Value::number(v.code(), ctx.builder.op(Op::Rint, {v.inst()}));
}

Value call_numpy_logical(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value x = truth(ctx, a.positional[0], argument_node(a, 0));
  const Value y = truth(ctx, a.positional[1], argument_node(a, 1));
  if (x.is_unknown() || y.is_unknown()) return Value::unknown();
  const std::string name = i.short_name();
  if (name == "logical_xor") return compare(ctx, CompareOp::NotEq, x, y, a.node);
  return both(ctx, x, y, name == "logical_and" ? Op::And : Op::Or, a.node);
}

// ------------------------------------------------------------------------------------------------
// formats

// The format that is asked about: a type, or that of a number.
static std::optional<TypeCode> asked_format(const Context& ctx, const Arguments& a) {
  const Value& v = a.positional[0];
  if (v.is_number()) return v.code();
  if (const std::string* text = v.string()) return type_of_text(*text);
  const std::optional<DataType> type = data_type_of(v);
  if (!type || !type->is_number()) return std::nullopt;
  return ctx.policy.constructed(type->code);
}

Value call_iinfo(Context& ctx, const Arguments& a, const Intrinsic&) {
  const auto code = asked_format(ctx, a);
  if (!code || !is_int(*code))
    return error(ctx, DiagCode::needs_integer, argument_node(a, 0),
                 {"iinfo()", type_text(a.positional[0])});
  const int bits = bits_of(*code) - !is_unsigned(*code);
  const __int128 max = (__int128{1} << bits) - 1;
  const auto number = [](__int128 n) { return Value::constant_int(TypeCode::weak_int, n); };
  return Value::named_tuple(
      {number(is_unsigned(*code) ? 0 : -max - 1), number(max), number(bits_of(*code))},
      {"min", "max", "bits"});
}

// As NumPy has it: numbers of the format itself, and counts.
Value call_finfo(Context& ctx, const Arguments& a, const Intrinsic&) {
  const auto code = asked_format(ctx, a);
  if (!code || !is_float(*code))
    return error(ctx, DiagCode::needs_float, argument_node(a, 0),
                 {"finfo()", type_text(a.positional[0])});
  const FloatFormat& format = format_of(*scalar_of(*code));
  const int fraction = format.fraction(), least = format.min_exponent();
  const double max = std::ldexp(2 - std::ldexp(1.0, -fraction), format.max_exponent());
  const int precision = fraction * 30103 / 100000;
  const auto number = [&](double x) { return Value::constant(fixed(*code), {0, x}); };
  const auto count = [](int n) { return Value::constant_int(TypeCode::weak_int, n); };
  return Value::named_tuple(
      {number(-max), number(max), number(std::ldexp(1.0, -fraction)),
       number(std::ldexp(1.0, -fraction - 1)), number(std::ldexp(1.0, least)),
       number(std::ldexp(1.0, least)), number(std::ldexp(1.0, least - fraction)),
       number(std::pow(10.0, -precision)), count(precision), count(bits_of(*code)), count(fraction),
       count(format.exponent), count(format.max_exponent() + 1), count(least)},
      {"min", "max", "eps", "epsneg", "tiny", "smallest_normal", "smallest_subnormal", "resolution",
       "precision", "bits", "nmant", "nexp", "maxexp", "minexp"});
}

// What NumPy names by Python's words, of which formats have other meanings in kernels, and by
// single letters.
static std::optional<TypeCode> numpy_format(std::string_view text) {
  using enum TypeCode;
  static constexpr std::pair<std::string_view, TypeCode> kNames[] = {
      {"int", i8},      {"uint", u8}, {"float", f8},  {"complex", c16}, {"intp", i8},
      {"uintp", u8},    {"half", f2}, {"single", f4}, {"double", f8},   {"csingle", c8},
      {"cdouble", c16}, {"?", b1},    {"b", i1},      {"B", u1},        {"h", i2},
      {"H", u2},        {"i", i4},    {"I", u4},      {"l", i8},        {"L", u8},
      {"q", i8},        {"Q", u8},    {"p", i8},      {"P", u8},        {"e", f2},
      {"f", f4},        {"d", f8},    {"F", c8},      {"D", c16},
  };
  const auto found = std::ranges::find(kNames, text, &std::pair<std::string_view, TypeCode>::first);
  return found == std::end(kNames) ? std::nullopt : std::optional(found->second);
}

// int, float and complex have 64 bits for NumPy.
static TypeCode numpy_format(TypeCode code) {
  if (!is_weak(code)) return code;
  if (is_complex(code)) return TypeCode::c16;
  return is_float(code) ? TypeCode::f8 : TypeCode::i8;
}

// np.dtype("i2"), of a type too: the type that it names.
Value call_numpy_dtype(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value& v = a.positional[0];
  if (const std::string* text = v.string())
    if (const auto code = numpy_format(*text)) return Value::Entity{entity_of_type(*code)};
  const auto type = read_dtype(ctx, {&v, argument_node(a, 0)}, i.short_name());
  if (!type) return Value::unknown();
  if (type->is_number()) return Value::Entity{entity_of_type(numpy_format(type->code))};
  return dtype_value(*type);
}

}  // namespace cuda_device::frontend
