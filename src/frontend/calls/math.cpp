// The functions of `math`, and cbrt and fma of the device module.
#include "frontend/calls/handlers.h"

#include <algorithm>
#include <cmath>

#include "frontend/calls/calls.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"

namespace cuda_device::frontend {

// The argument in the floating type that the function computes in; Unknown after an error.
static Value math_argument(Context& ctx, const Arguments& a, size_t i, const Intrinsic& intrinsic) {
  const Value& v = a.positional[i];
  if (!require_number(ctx, v, argument_node(a, i), intrinsic.short_name() + "()"))
    return Value::unknown();
  return convert(ctx, v, ctx.policy.math_argument(v.code()), argument_node(a, i));
}

// Two types that do not mix.
static void no_promotion(Context& ctx, const Arguments& a, size_t i, TypeCode others) {
  const Node* node = argument_node(a, i);
  error(ctx, DiagCode::no_promotion, node,
        {"combine", std::string(name_of(others)), "with", type_text(a.positional[i]),
         what_it_is(node, a.positional[i])});
}

// All arguments in one floating type; empty after an error.
static std::vector<Value> math_arguments(Context& ctx, const Arguments& a,
                                         const Intrinsic& intrinsic) {
  std::vector<Value> out;
  TypeCode code = TypeCode::b1;
  for (size_t i = 0; i < a.positional.size(); ++i) {
    out.push_back(math_argument(ctx, a, i, intrinsic));
    if (out.back().is_unknown()) return {};
    const std::optional<TypeCode> common = ctx.policy.operator_type(code, out.back().code());
    if (!common) {
      no_promotion(ctx, a, i, code);
      return {};
    }
    code = *common;
  }
  for (size_t i = 0; i < out.size(); ++i) {
    // The argument itself is converted: a literal must not be rounded twice.
    out[i] = implicitly_converted(ctx, a.positional[i], code, argument_node(a, i));
    if (out[i].is_unknown()) return {};
  }
  return out;
}

// The arguments in the type that several operations in a row are done in, for a result that
// `rounded` takes back to theirs.
static std::vector<Value> in_wider(Context& ctx, std::vector<Value> v, const Node* node) {
  for (Value& x : v) x = convert(ctx, x, computed_in(x.code()), node);
  return v;
}

// A builtin constant is computed with in full precision.
static bool folds(const Value& v) { return v.exact() && is_weak(v.code()); }

Value call_math(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value v = math_argument(ctx, a, 0, i);
  if (v.is_unknown()) return v;
  if (folds(v)) return Value::constant(v.code(), {0, i.fold(v.exact()->real)});
  return Value::number(v.code(), ctx.builder.op(i.op, {inst_of(ctx, v, a.node)}));
}

Value call_math2(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const std::vector<Value> v = math_arguments(ctx, a, i);
  if (v.empty()) return Value::unknown();
  if (folds(v[0]) && folds(v[1]))
    return Value::constant(v[0].code(), {0, i.fold2(v[0].exact()->real, v[1].exact()->real)});
  return Value::number(
      v[0].code(), ctx.builder.op(i.op, {inst_of(ctx, v[0], a.node), inst_of(ctx, v[1], a.node)}));
}

Value call_hypot(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const std::vector<Value> given = math_arguments(ctx, a, i);
  if (given.empty()) return Value::unknown();
  if (std::ranges::all_of(given, folds)) {
    double length = 0;
    for (const Value& x : given) length = std::hypot(length, x.exact()->real);
    return Value::constant(given[0].code(), {0, length});
  }
  const std::vector<Value> v = in_wider(ctx, given, a.node);
  Inst* length = ctx.builder.op(Op::Abs, {inst_of(ctx, v[0], a.node)});
  for (size_t k = 1; k < v.size(); ++k)
    length = ctx.builder.op(Op::Hypot, {length, inst_of(ctx, v[k], a.node)});
  return convert(ctx, Value::number(v[0].code(), length), given[0].code(), a.node);
}

Value call_classify(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value v = math_argument(ctx, a, 0, i);
  if (v.is_unknown()) return v;
  if (!folds(v))
    return Value::number(TypeCode::b1, ctx.builder.op(i.op, {inst_of(ctx, v, a.node)}));
  const double x = v.exact()->real;
  return Value::boolean(i.op == Op::IsNan   ? std::isnan(x)
                        : i.op == Op::IsInf ? std::isinf(x)
                                            : std::isfinite(x));
}

Value call_log(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const std::vector<Value> given = math_arguments(ctx, a, i);
  if (given.empty()) return Value::unknown();
  const std::vector<Value> v = in_wider(ctx, given, a.node);
  std::vector<Value> logs;
  logs.reserve(v.size());
  for (const Value& x : v) {
    logs.push_back(
        folds(x) ? Value::constant(x.code(), {0, std::log(x.exact()->real)})
                 : Value::number(x.code(), ctx.builder.op(Op::Log, {inst_of(ctx, x, a.node)})));
  }
  const Value log = logs.size() == 1
                        ? logs[0]
                        : same_type(ctx, BinaryOp::Div, logs[0].code(), logs[0], logs[1], a.node);
  return convert(ctx, log, given[0].code(), a.node);
}

static Value scaled(Context& ctx, const Arguments& a, const Intrinsic& i, double factor) {
  const Value v = math_argument(ctx, a, 0, i);
  if (v.is_unknown()) return v;
  const Value product = same_type(ctx, BinaryOp::Mult, computed_in(v.code()), v,
                                  Value::constant(TypeCode::weak_float, {0, factor}), a.node);
  return convert(ctx, product, v.code(), a.node);
}

Value call_degrees(Context& ctx, const Arguments& a, const Intrinsic& i) {
  return scaled(ctx, a, i, 180 / 3.141592653589793);
}

Value call_radians(Context& ctx, const Arguments& a, const Intrinsic& i) {
  return scaled(ctx, a, i, 3.141592653589793 / 180);
}

Value call_isclose(Context& ctx, const Arguments& a, const Intrinsic& i) {
  Arguments all = a;
  all.positional.push_back(Value::constant(ctx.policy.float_literal, {0, 1e-9}));
  all.positional.push_back(Value::constant(ctx.policy.float_literal, {0, 0.0}));
  for (const auto& [name, value] : a.named) {
    if (name != "rel_tol" && name != "abs_tol")
      return error(ctx, DiagCode::unexpected_keyword, a.node,
                   {"isclose", name, "its keywords are rel_tol and abs_tol"});
    all.positional[name == "rel_tol" ? 2 : 3] = value;
  }
  // The default tolerance is zero in a small float.
  const std::vector<Value> numbers = math_arguments(ctx, a, i);
  if (numbers.empty()) return Value::unknown();
  if (computed_in(numbers[0].code()) != numbers[0].code())
    std::ranges::copy(in_wider(ctx, numbers, a.node), all.positional.begin());
  const std::vector<Value> v = math_arguments(ctx, all, i);
  if (v.empty()) return Value::unknown();
  ir::Builder& e = ctx.builder;
  Inst *x = inst_of(ctx, v[0], a.node), *y = inst_of(ctx, v[1], a.node);
  Inst* largest = e.op(Op::Max, {e.op(Op::Abs, {x}), e.op(Op::Abs, {y})});
  Inst* relative = e.op(Op::Mul, {inst_of(ctx, v[2], a.node), largest});
  Inst* tolerance = e.op(Op::Max, {relative, inst_of(ctx, v[3], a.node)});
  Inst* near = e.op(Op::Le, {e.op(Op::Abs, {e.op(Op::Sub, {x, y})}), tolerance});
  Inst* finite = e.op(Op::And, {e.op(Op::IsFinite, {x}), e.op(Op::IsFinite, {y})});
  Inst* close = e.op(Op::Or, {e.op(Op::Eq, {x, y}), e.op(Op::And, {finite, near})});
  return Value::number(TypeCode::b1, close);
}

// The exponent in 32 bits: beyond these bounds it gives zero or infinity, whatever it is.
static Value exponent_of_ldexp(Context& ctx, const Value& n, const Node* node) {
  constexpr int64_t kMost = 5000;
  if (n.exact())
    return Value::constant_int(TypeCode::i4,
                               std::clamp<__int128>(n.exact()->integer, -kMost, kMost));
  const Value narrow = convert(ctx, n, TypeCode::i4, node);
  Inst* const given = inst_of(ctx, n, node);
  const ir::Type type = given->type;
  if (narrow.is_unknown() || type.bits() < 32 || type == ir::kI32) return narrow;
  Inst* bounded = ctx.builder.op(Op::Min, {given, ctx.builder.const_int(type, kMost)});
  if (type.is_signed())
    bounded = ctx.builder.op(Op::Max, {bounded, ctx.builder.const_int(type, -kMost)});
  return convert(ctx, Value::number(n.code(), bounded), TypeCode::i4, node);
}

Value call_ldexp(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value x = math_argument(ctx, a, 0, i);
  const Value& n = a.positional[1];
  if (!n.is_number() || !is_int(n.code()))
    return error(ctx, DiagCode::needs_integer, argument_node(a, 1),
                 {"the exponent of ldexp", type_text(n)});
  const Value exponent = exponent_of_ldexp(ctx, n, argument_node(a, 1));
  if (x.is_unknown() || exponent.is_unknown()) return Value::unknown();
  if (folds(x) && exponent.exact()) {
    const int power = static_cast<int>(exponent.exact()->integer);
    return Value::constant(x.code(), {0, std::ldexp(x.exact()->real, power)});
  }
  return Value::number(x.code(), ctx.builder.op(Op::Ldexp, {inst_of(ctx, x, a.node),
                                                            inst_of(ctx, exponent, a.node)}));
}

Value call_frexp(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value x = math_argument(ctx, a, 0, i);
  if (x.is_unknown()) return x;
  if (folds(x)) {
    int exponent = 0;
    const double mantissa = std::frexp(x.exact()->real, &exponent);
    return Value::tuple({Value::constant(x.code(), {0, mantissa}),
                         Value::constant_int(ctx.policy.int_literal(0), exponent)});
  }
  Inst* operand = inst_of(ctx, x, a.node);
  const Value exponent = Value::number(TypeCode::i4, ctx.builder.op(Op::FrexpExponent, {operand}));
  return Value::tuple({Value::number(x.code(), ctx.builder.op(Op::FrexpMantissa, {operand})),
                       convert(ctx, exponent, ctx.policy.int_literal(0), a.node)});
}

Value call_modf(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value v = math_argument(ctx, a, 0, i);
  if (v.is_unknown()) return v;
  if (folds(v)) {
    double whole = 0;
    const double fraction = std::modf(v.exact()->real, &whole);
    return Value::tuple(
        {Value::constant(v.code(), {0, fraction}), Value::constant(v.code(), {0, whole})});
  }
  ir::Builder& e = ctx.builder;
  Inst* x = inst_of(ctx, v, a.node);
  Inst* whole = e.op(Op::Trunc, {x});
  Inst* rest = e.op(Op::Select, {e.op(Op::IsInf, {x}), constant_inst(ctx, x->type, 0),
                                 e.op(Op::Sub, {x, whole})});
  Inst* fraction = e.op(Op::CopySign, {rest, x});
  return Value::tuple({Value::number(v.code(), fraction), Value::number(v.code(), whole)});
}

// Euclid: while y: x, y = y, x % y
static Inst* gcd_loop(Context& ctx, Inst* a, Inst* b, TypeCode code) {
  ir::Builder& e = ctx.builder;
  const uint32_t x = make_slot(ctx, "", code), y = make_slot(ctx, "", code);
  e.slot_store(x, a);
  e.slot_store(y, b);
  Inst* zero = constant_inst(ctx, a->type, 0);
  Inst* loop = e.control(Op::While, {}, 3);
  ir::Block* outer = &e.block();
  e.set_block(loop->regions[0]);
  e.op(Op::Yield, {e.op(Op::Ne, {e.slot_load(y), zero})});
  e.set_block(loop->regions[1]);
  Inst* divisor = e.slot_load(y);
  Inst* rest = e.op(Op::FloorMod, {e.slot_load(x), divisor});
  e.slot_store(x, divisor);
  e.slot_store(y, rest);
  e.set_block(*outer);
  return e.slot_load(x);
}

Value call_gcd(Context& ctx, const Arguments& a, const Intrinsic& i) {
  TypeCode code = ctx.policy.int_literal(0);
  for (size_t k = 0; k < a.positional.size(); ++k) {
    const Value& v = a.positional[k];
    if (!v.is_number() || !is_int(v.code()))
      return error(ctx, DiagCode::needs_integer, argument_node(a, k),
                   {i.short_name(), type_text(v)});
    code = *ctx.policy.operator_type(code, v.code());
  }
  Inst* result = nullptr;
  for (size_t k = 0; k < a.positional.size(); ++k) {
    const Value v = convert(ctx, a.positional[k], code, argument_node(a, k));
    if (v.is_unknown()) return v;
    Inst* magnitude = ctx.builder.op(Op::Abs, {inst_of(ctx, v, a.node)});
    result = result ? gcd_loop(ctx, result, magnitude, code) : magnitude;
  }
  return Value::number(code, result);
}

Value call_fma(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const std::vector<Value> v = math_arguments(ctx, a, i);
  if (v.empty()) return Value::unknown();
  return Value::number(
      v[0].code(), ctx.builder.op(Op::Fma, {inst_of(ctx, v[0], a.node), inst_of(ctx, v[1], a.node),
                                            inst_of(ctx, v[2], a.node)}));
}

// device.fma is of floats only.
Value call_device_fma(Context& ctx, const Arguments& a, const Intrinsic& i) {
  for (size_t k = 0; k < a.positional.size(); ++k) {
    const Value& v = a.positional[k];
    if (!(v.is_number() && is_float(v.code())))
      return error(ctx, DiagCode::needs_float, argument_node(a, k), {i.short_name(), type_text(v)});
  }
  return call_fma(ctx, a, i);
}

Value call_cbrt(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value& v = a.positional[0];
  if (!v.is_number() || !is_float(v.code()))
    return error(ctx, DiagCode::needs_float, argument_node(a, 0), {i.short_name(), type_text(v)});
  if (folds(v)) return Value::constant(v.code(), {0, std::cbrt(v.exact()->real)});
  return Value::number(v.code(), ctx.builder.op(Op::Cbrt, {inst_of(ctx, v, a.node)}));
}

}  // namespace cuda_device::frontend
