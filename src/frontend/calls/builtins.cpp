// Python's builtin functions, the position functions and the bit intrinsics.
#include "frontend/calls/handlers.h"

#include <cmath>

#include "frontend/arrays/arrays.h"
#include "frontend/calls/calls.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"

namespace cuda_device::frontend {

Value call_abs(Context& ctx, const Arguments& a, const Intrinsic&) {
  Value v = a.positional[0];
  if (!require_number(ctx, v, argument_node(a, 0), "abs()")) return Value::unknown();
  if (is_bool(v.code())) v = convert(ctx, v, ctx.policy.bool_arithmetic, a.node);
  if (is_unsigned(v.code())) return v;
  if (!v.exact()) return Value::number(v.code(), ctx.builder.op(Op::Abs, {v.inst()}));
  if (is_float(v.code())) return Value::constant(v.code(), {0, std::fabs(v.exact()->real)});
  return v.exact()->integer < 0 ? negative(ctx, v, a.node) : v;
}

static std::string iteration_hint(const Value& v) {
  auto* array = v.as<Value::Array>();
  if (!array || array->type.ndim == 0) return "use range() or a tuple";
  const std::string name = array->name.empty() ? "a" : array->name;
  return "go through an array in a loop: for i in range(" + name + ".shape[0])";
}

Value call_min_max(Context& ctx, const Arguments& a, const Intrinsic& i) {
  std::vector<Value> values = a.positional;
  if (values.size() == 1) {
    const std::optional<std::vector<Value>> elements = elements_of(ctx, values[0]);
    if (!elements || elements->empty())
      return error(ctx, DiagCode::not_iterable, argument_node(a, 0),
                   {type_text(values[0]), iteration_hint(values[0])});
    values = *elements;
  }
  for (size_t k = 0; k < values.size(); ++k)
    if (!require_number(ctx, values[k], argument_node(a, k), i.short_name() + "()"))
      return Value::unknown();
  Value best = values[0];
  for (size_t k = 1; k < values.size(); ++k) best = min_max(ctx, best, values[k], i.op, a.node);
  return best;
}

Value call_round(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value& v = a.positional[0];
  if (!require_number(ctx, v, argument_node(a, 0), "round()")) return Value::unknown();
  if (a.positional.size() == 2 && !a.positional[1].is_none())
    return not_implemented(ctx, a.node, "round() to a number of digits");
  if (is_bool(v.code())) return convert(ctx, v, ctx.policy.bool_arithmetic, a.node);
  if (!is_float(v.code())) return v;
  const TypeCode result = ctx.policy.int_literal(0);
  if (v.exact())
    return convert(ctx, Value::constant(v.code(), {0, std::nearbyint(v.exact()->real)}), result,
                   a.node);
  return convert(ctx, Value::number(v.code(), ctx.builder.op(Op::Rint, {v.inst()})), result,
                 a.node);
}

Value call_pow(Context& ctx, const Arguments& a, const Intrinsic&) {
  if (a.positional.size() == 3) return not_implemented(ctx, a.node, "pow() with a modulus");
  return binary(ctx, BinaryOp::Pow, a.positional[0], a.positional[1], a.node, argument_node(a, 0),
                argument_node(a, 1));
}

Value call_divmod(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value& x = a.positional[0];
  const Value& y = a.positional[1];
  const Node *left = argument_node(a, 0), *right = argument_node(a, 1);
  const Value quotient = binary(ctx, BinaryOp::FloorDiv, x, y, a.node, left, right);
  if (quotient.is_unknown()) return quotient;
  return Value::tuple({quotient, binary(ctx, BinaryOp::Mod, x, y, a.node, left, right)});
}

Value call_len(Context& ctx, const Arguments& a, const Intrinsic&) {
  const Value& v = a.positional[0];
  if (v.is_array() && v.array().type.ndim > 0) return extent_value(ctx, v.array(), 0);
  const std::optional<std::vector<Value>> elements = elements_of(ctx, v);
  if (!elements) return error(ctx, DiagCode::no_len, argument_node(a, 0), {type_text(v)});
  const auto size = static_cast<__int128>(elements->size());
  return Value::constant_int(ctx.policy.int_literal(size), size);
}

Value call_range(Context& ctx, const Arguments& a, const Intrinsic&) {
  TypeCode code = ctx.policy.range_minimum;
  bool fine = true;
  for (size_t i = 0; i < a.positional.size(); ++i) {
    const Value& v = a.positional[i];
    const bool whole = v.is_number() && (is_int(v.code()) || is_bool(v.code()));
    if (!whole) error(ctx, DiagCode::range_type, argument_node(a, i), {type_text(v)});
    fine &= whole;
    if (whole) code = *ctx.policy.operator_type(code, v.code());
  }
  if (!fine) return Value::unknown();
  const bool only_stop = a.positional.size() == 1;
  std::vector<Value> bounds = {
      only_stop ? Value::constant_int(ctx.policy.int_literal(0), 0) : a.positional[0],
      a.positional[only_stop ? 0 : 1],
      a.positional.size() == 3 ? a.positional[2]
                               : Value::constant_int(ctx.policy.int_literal(1), 1)};
  if (bounds[2].exact() && bounds[2].exact()->integer == 0)
    return error(ctx, DiagCode::range_step_zero, argument_node(a, 2));
  for (size_t i = 0; i < bounds.size(); ++i) {
    bounds[i] = convert(ctx, bounds[i], code, argument_node(a, only_stop ? 0 : i));
    if (bounds[i].is_unknown()) return Value::unknown();
  }
  return Value::Range{std::move(bounds)};
}

Value call_tuple(Context& ctx, const Arguments& a, const Intrinsic&) {
  std::optional<std::vector<Value>> elements = elements_of(ctx, a.positional[0]);
  if (!elements) {
    const Value& v = a.positional[0];
    return error(ctx, DiagCode::not_iterable, argument_node(a, 0),
                 {type_text(v), iteration_hint(v)});
  }
  return Value::tuple(std::move(*elements));
}

Value call_tid(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value& n = a.positional[0];
  const bool known = n.is_constant() && is_int(n.code());
  if (!known)
    return error(ctx, DiagCode::ndims_constant, argument_node(a, 0),
                 {i.short_name(), type_text(n)});
  if (n.exact()->integer < 1 || n.exact()->integer > 3)
    return error(ctx, DiagCode::ndims_range, argument_node(a, 0),
                 {i.short_name(), to_text(n.exact()->integer)});
  std::vector<Value> axes;
  axes.reserve(3);
  for (int axis = 0; axis < n.exact()->integer; ++axis)
    axes.push_back(Value::number(TypeCode::i4, ctx.builder.op(i.op, {}, axis)));
  return axes.size() == 1 ? axes[0] : Value::tuple(std::move(axes));
}

Value call_bits(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value& v = a.positional[0];
  if (!v.is_number() || !is_int(v.code()))
    return error(ctx, DiagCode::needs_integer, argument_node(a, 0), {i.short_name(), type_text(v)});
  Inst* operand = inst_of(ctx, v, argument_node(a, 0));
  const TypeCode result = i.op == Op::Brev ? v.code() : TypeCode::i4;
  return Value::number(result, ctx.builder.op(i.op, {operand}));
}

}  // namespace cuda_device::frontend
