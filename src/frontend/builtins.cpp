// Python's builtin functions, the position functions and the bit intrinsics.
#include <cmath>

#include "frontend/intrinsics.h"

namespace cuda_device::frontend {

Value Lowerer::call_abs(const Arguments& a, const Intrinsic&) {
  Value v = a.positional[0];
  if (!require_number(v, argument_node(a, 0), "abs()")) return Value::unknown();
  if (is_bool(v.code)) v = convert(v, policy_.bool_arithmetic, a.node);
  if (is_unsigned(v.code)) return v;
  if (!v.exact) return Value::number(v.code, builder_.op(Op::Abs, {v.inst}));
  if (is_float(v.code)) return Value::constant(v.code, {0, std::fabs(v.exact->real)});
  return v.exact->integer < 0 ? negative(v, a.node) : v;
}

static std::string iteration_hint(const Value& v) {
  if (!v.is_array() || v.array.ndim == 0) return "use range() or a tuple";
  const std::string name = v.name.empty() ? "a" : v.name;
  return "go through an array in a loop: for i in range(" + name + ".shape[0])";
}

Value Lowerer::call_min_max(const Arguments& a, const Intrinsic& i) {
  std::vector<Value> values = a.positional;
  if (values.size() == 1) {
    const std::optional<std::vector<Value>> elements = elements_of(values[0]);
    if (!elements || elements->empty())
      return error(DiagCode::not_iterable, argument_node(a, 0),
                   {type_text(values[0]), iteration_hint(values[0])});
    values = *elements;
  }
  for (size_t k = 0; k < values.size(); ++k)
    if (!require_number(values[k], argument_node(a, k), i.short_name() + "()"))
      return Value::unknown();
  Value best = values[0];
  for (size_t k = 1; k < values.size(); ++k) best = min_max(best, values[k], i.op, a.node);
  return best;
}

Value Lowerer::min_max(const Value& a, const Value& b, Op op, const Node* node) {
  if (a.is_unknown() || b.is_unknown()) return Value::unknown();
  const std::optional<TypeCode> code = policy_.promote(a.code, b.code);
  if (!code) return error(DiagCode::no_common_choice, node, {type_text(a), type_text(b)});
  const Value x = convert(a, *code, node), y = convert(b, *code, node);
  if (x.is_unknown() || y.is_unknown()) return Value::unknown();
  if (x.exact && y.exact) {
    const CompareOp better = op == Op::Min ? CompareOp::Lt : CompareOp::Gt;
    return fold(better, *code, *y.exact, *x.exact) ? y : x;
  }
  if (is_bool(*code)) op = op == Op::Min ? Op::And : Op::Or;
  return Value::number(*code, builder_.op(op, {inst_of(x, node), inst_of(y, node)}));
}

Value Lowerer::call_round(const Arguments& a, const Intrinsic&) {
  const Value& v = a.positional[0];
  if (!require_number(v, argument_node(a, 0), "round()")) return Value::unknown();
  if (a.positional.size() == 2 && !a.positional[1].is_none())
    return not_implemented(a.node, "round() to a number of digits");
  if (is_bool(v.code)) return convert(v, policy_.bool_arithmetic, a.node);
  if (!is_float(v.code)) return v;
  const TypeCode result = policy_.int_literal(0);
  if (v.exact)
    return convert(Value::constant(v.code, {0, std::nearbyint(v.exact->real)}), result, a.node);
  return convert(Value::number(v.code, builder_.op(Op::Rint, {v.inst})), result, a.node);
}

Value Lowerer::call_pow(const Arguments& a, const Intrinsic&) {
  if (a.positional.size() == 3) return not_implemented(a.node, "pow() with a modulus");
  return binary(BinaryOp::Pow, a.positional[0], a.positional[1], a.node, argument_node(a, 0),
                argument_node(a, 1));
}

Value Lowerer::call_divmod(const Arguments& a, const Intrinsic&) {
  const Value& x = a.positional[0];
  const Value& y = a.positional[1];
  const Node *left = argument_node(a, 0), *right = argument_node(a, 1);
  const Value quotient = binary(BinaryOp::FloorDiv, x, y, a.node, left, right);
  if (quotient.is_unknown()) return quotient;
  return Value::tuple({quotient, binary(BinaryOp::Mod, x, y, a.node, left, right)});
}

Value Lowerer::call_len(const Arguments& a, const Intrinsic&) {
  const Value& v = a.positional[0];
  if (v.is_array() && v.array.ndim > 0) return extent_value(v, 0);
  const std::optional<std::vector<Value>> elements = elements_of(v);
  if (!elements) return error(DiagCode::no_len, argument_node(a, 0), {type_text(v)});
  const auto size = static_cast<__int128>(elements->size());
  return Value::constant_int(policy_.int_literal(size), size);
}

Value Lowerer::call_range(const Arguments& a, const Intrinsic&) {
  TypeCode code = policy_.range_minimum;
  bool fine = true;
  for (size_t i = 0; i < a.positional.size(); ++i) {
    const Value& v = a.positional[i];
    const bool whole = v.is_number() && (is_int(v.code) || is_bool(v.code));
    if (!whole) error(DiagCode::range_type, argument_node(a, i), {type_text(v)});
    fine &= whole;
    if (whole) code = *policy_.promote(code, v.code);
  }
  if (!fine) return Value::unknown();
  const bool only_stop = a.positional.size() == 1;
  std::vector<Value> bounds = {
      only_stop ? Value::constant_int(policy_.int_literal(0), 0) : a.positional[0],
      a.positional[only_stop ? 0 : 1],
      a.positional.size() == 3 ? a.positional[2] : Value::constant_int(policy_.int_literal(1), 1)};
  if (bounds[2].exact && bounds[2].exact->integer == 0)
    return error(DiagCode::range_step_zero, argument_node(a, 2));
  for (size_t i = 0; i < bounds.size(); ++i) {
    bounds[i] = convert(bounds[i], code, argument_node(a, only_stop ? 0 : i));
    if (bounds[i].is_unknown()) return Value::unknown();
  }
  Value range = Value::tuple(std::move(bounds));
  range.kind = Value::Kind::Range;
  return range;
}

Value Lowerer::call_tuple(const Arguments& a, const Intrinsic&) {
  std::optional<std::vector<Value>> elements = elements_of(a.positional[0]);
  if (!elements) {
    const Value& v = a.positional[0];
    return error(DiagCode::not_iterable, argument_node(a, 0), {type_text(v), iteration_hint(v)});
  }
  return Value::tuple(std::move(*elements));
}

// tid(n), grid_size(n): one int32, or a tuple of them.
Value Lowerer::call_tid(const Arguments& a, const Intrinsic& i) {
  const Value& n = a.positional[0];
  const bool known = n.is_constant() && is_int(n.code);
  if (!known)
    return error(DiagCode::ndims_constant, argument_node(a, 0), {i.short_name(), type_text(n)});
  if (n.exact->integer < 1 || n.exact->integer > 3)
    return error(DiagCode::ndims_range, argument_node(a, 0),
                 {i.short_name(), to_text(n.exact->integer)});
  std::vector<Value> axes;
  axes.reserve(3);
  for (int axis = 0; axis < n.exact->integer; ++axis)
    axes.push_back(Value::number(TypeCode::i4, builder_.op(i.op, {}, axis)));
  return axes.size() == 1 ? axes[0] : Value::tuple(std::move(axes));
}

Value Lowerer::call_bits(const Arguments& a, const Intrinsic& i) {
  const Value& v = a.positional[0];
  if (!v.is_number() || !is_int(v.code))
    return error(DiagCode::needs_integer, argument_node(a, 0), {i.short_name(), type_text(v)});
  Inst* operand = inst_of(v, argument_node(a, 0));
  const TypeCode result = i.op == Op::Brev ? v.code : TypeCode::i4;
  return Value::number(result, builder_.op(i.op, {operand}));
}

}  // namespace cuda_device::frontend
