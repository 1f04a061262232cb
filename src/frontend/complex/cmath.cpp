// The functions of `cmath`: those of the complex plane by the real ones. The formulas are Python's
// (Modules/cmathmodule.c), which are Kahan's for roots and inverse functions: branch cuts continue
// the sign of zero.
#include <cmath>
#include <complex>

#include "frontend/calls/handlers.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/complex/complex.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"

namespace cuda_device::frontend {

using E = ComplexEmitter;

// A zero imaginary part stays one, and an infinite angle does not matter where the size is zero.
Parts complex_exp(E& e, Parts z) {
  Inst* size = e.op(Op::Exp, z.re);
  Inst* vanishes =
      e.op(Op::And, e.op(Op::Eq, size, e.number(0)), e.op(Op::Not, e.op(Op::IsFinite, z.im)));
  Inst* angle = e.select(vanishes, e.number(0), z.im);
  Inst* real = e.op(Op::Eq, angle, e.number(0));
  Inst* re = e.op(Op::Mul, size, e.op(Op::Cos, angle));
  return {e.select(real, size, re),
          e.select(real, angle, e.op(Op::Mul, size, e.op(Op::Sin, angle)))};
}

Parts complex_log(E& e, Parts z) {
  return {e.op(Op::Log, e.op(Op::Hypot, z.re, z.im)), e.op(Op::Atan2, z.im, z.re)};
}

namespace {

Parts times_i(E& e, Parts z) { return {e.op(Op::Neg, z.im), z.re}; }
Parts by_i(E& e, Parts z) { return {z.im, e.op(Op::Neg, z.re)}; }
Parts plus(E& e, Parts z, double x) { return {e.op(Op::Add, z.re, e.number(x)), z.im}; }
// A factor that may be infinite, and one of the angle, which is zero where the number is real.
Inst* times(E& e, Inst* size, Inst* angle) {
  Inst* zero = e.op(Op::Eq, angle, e.number(0));
  return e.select(zero, angle, e.op(Op::Mul, size, angle));
}

Parts complex_sqrt(E& e, Parts z) {
  Inst *eighth = e.number(0.125), *zero = e.number(0);
  Inst *x = e.op(Op::Mul, e.op(Op::Abs, z.re), eighth), *y = e.op(Op::Abs, z.im);
  Inst* root = e.op(Op::Sqrt, e.op(Op::Add, x, e.op(Op::Hypot, x, e.op(Op::Mul, y, eighth))));
  Inst* s = e.op(Op::Mul, e.number(2), root);
  Inst* d = e.op(Op::Div, y, e.op(Op::Mul, e.number(2), s));
  Inst* is_zero = e.op(Op::Eq, s, zero);
  d = e.select(is_zero, zero, d);
  Inst* right = e.op(Op::Ge, z.re, zero);
  const Parts root_of = {e.select(right, s, d), e.op(Op::CopySign, e.select(right, d, s), z.im)};
  // An infinite part wins, an imaginary one over a NaN beside it.
  Inst *infinity = e.number(HUGE_VAL), *signed_zero = e.op(Op::CopySign, zero, z.im);
  Inst* nan = e.op(Op::IsNan, z.im);
  const Parts to_the_right = {z.re, e.select(nan, z.im, signed_zero)};
  const Parts to_the_left = {e.select(nan, z.im, zero), e.op(Op::CopySign, infinity, z.im)};
  Parts result = e.select(e.op(Op::IsInf, z.re),
                          e.select(e.op(Op::Gt, z.re, zero), to_the_right, to_the_left), root_of);
  return e.select(e.op(Op::IsInf, z.im), {infinity, z.im}, result);
}

Parts complex_sinh(E& e, Parts z) {
  return {times(e, e.op(Op::Sinh, z.re), e.op(Op::Cos, z.im)),
          times(e, e.op(Op::Cosh, z.re), e.op(Op::Sin, z.im))};
}
Parts complex_cosh(E& e, Parts z) {
  return {times(e, e.op(Op::Cosh, z.re), e.op(Op::Cos, z.im)),
          times(e, e.op(Op::Sinh, z.re), e.op(Op::Sin, z.im))};
}

// Beyond 22 tanh of the real part is 1 to the last bit of a float64, and what is left of the
// imaginary one is a product of exponentials.
Parts complex_tanh(E& e, Parts z) {
  Inst *tx = e.op(Op::Tanh, z.re), *ty = e.op(Op::Tan, z.im);
  Inst* inverse_cosh = e.op(Op::Div, e.number(1), e.op(Op::Cosh, z.re));
  Inst* product = e.op(Op::Mul, tx, ty);
  Inst* denominator = e.op(Op::Add, e.number(1), e.op(Op::Mul, product, product));
  Inst* one_more = e.op(Op::Add, e.number(1), e.op(Op::Mul, ty, ty));
  const Parts near = {
      e.op(Op::Div, e.op(Op::Mul, tx, one_more), denominator),
      e.op(Op::Mul, e.op(Op::Mul, e.op(Op::Div, ty, denominator), inverse_cosh), inverse_cosh)};
  Inst* size = e.op(Op::Abs, z.re);
  Inst* decay = e.op(Op::Exp, e.op(Op::Mul, e.number(-2), size));
  Inst* turned = e.op(Op::Mul, e.op(Op::Sin, z.im), e.op(Op::Cos, z.im));
  const Parts far = {e.op(Op::CopySign, e.number(1), z.re),
                     times(e, decay, e.op(Op::Mul, e.number(4), turned))};
  return e.select(e.op(Op::Gt, size, e.number(22)), far, near);
}

Parts complex_sin(E& e, Parts z) { return by_i(e, complex_sinh(e, times_i(e, z))); }
Parts complex_cos(E& e, Parts z) { return complex_cosh(e, times_i(e, z)); }
Parts complex_tan(E& e, Parts z) { return by_i(e, complex_tanh(e, times_i(e, z))); }

Parts complex_acos(E& e, Parts z) {
  const Parts a = complex_sqrt(e, {e.op(Op::Sub, e.number(1), z.re), e.op(Op::Neg, z.im)});
  const Parts b = complex_sqrt(e, plus(e, z, 1));
  Inst* cross = e.op(Op::Sub, e.op(Op::Mul, b.re, a.im), e.op(Op::Mul, b.im, a.re));
  return {e.op(Op::Mul, e.number(2), e.op(Op::Atan2, a.re, b.re)), e.op(Op::Asinh, cross)};
}

Parts complex_acosh(E& e, Parts z) {
  const Parts a = complex_sqrt(e, plus(e, z, -1)), b = complex_sqrt(e, plus(e, z, 1));
  Inst* dot = e.op(Op::Add, e.op(Op::Mul, a.re, b.re), e.op(Op::Mul, a.im, b.im));
  return {e.op(Op::Asinh, dot), e.op(Op::Mul, e.number(2), e.op(Op::Atan2, a.im, b.re))};
}

Parts complex_asinh(E& e, Parts z) {
  Inst* one = e.number(1);
  const Parts a = complex_sqrt(e, {e.op(Op::Add, one, z.im), e.op(Op::Neg, z.re)});
  const Parts b = complex_sqrt(e, {e.op(Op::Sub, one, z.im), z.re});
  Inst* cross = e.op(Op::Sub, e.op(Op::Mul, a.re, b.im), e.op(Op::Mul, b.re, a.im));
  Inst* dot = e.op(Op::Sub, e.op(Op::Mul, a.re, b.re), e.op(Op::Mul, a.im, b.im));
  return {e.op(Op::Asinh, cross), e.op(Op::Atan2, z.im, dot)};
}

Parts complex_asin(E& e, Parts z) { return by_i(e, complex_asinh(e, times_i(e, z))); }

// By log1p of the real part, for the right half of the plane.
Parts complex_atanh(E& e, Parts given) {
  Inst* left = e.op(Op::Lt, given.re, e.number(0));
  const Parts z = e.select(left, e.neg(given), given);
  Inst *one = e.number(1), *y = e.op(Op::Abs, z.im);
  Inst* rest = e.op(Op::Sub, one, z.re);
  Inst* norm = e.op(Op::Add, e.op(Op::Mul, rest, rest), e.op(Op::Mul, y, y));
  Inst* ratio = e.op(Op::Div, e.op(Op::Mul, e.number(4), z.re), norm);
  Inst* re = e.op(Op::Mul, e.number(0.25), e.op(Op::Log1p, ratio));
  Inst* cross = e.op(Op::Sub, e.op(Op::Mul, rest, e.op(Op::Add, one, z.re)), e.op(Op::Mul, y, y));
  Inst* angle = e.op(Op::Atan2, e.op(Op::Mul, e.number(-2), z.im), cross);
  const Parts result = {re, e.op(Op::Mul, e.number(-0.5), angle)};
  return e.select(left, e.neg(result), result);
}

Parts complex_atan(E& e, Parts z) { return by_i(e, complex_atanh(e, times_i(e, z))); }

Parts complex_log10(E& e, Parts z) {
  const Parts log = complex_log(e, z);
  Inst* inverse = e.number(0.4342944819032518);
  return {e.op(Op::Log10, e.op(Op::Hypot, z.re, z.im)), e.op(Op::Mul, log.im, inverse)};
}

using Number = std::complex<double>;
struct Function {
  std::string_view name;
  Parts (*compute)(E& e, Parts z);
  Number (*fold)(const Number& z);
};
#define FUNCTION(name) {#name, complex_##name, std::name<double>}
constexpr Function kFunctions[] = {
    FUNCTION(exp),  FUNCTION(log),   FUNCTION(log10), FUNCTION(sqrt),
    FUNCTION(sin),  FUNCTION(cos),   FUNCTION(tan),   FUNCTION(sinh),
    FUNCTION(cosh), FUNCTION(tanh),  FUNCTION(asin),  FUNCTION(acos),
    FUNCTION(atan), FUNCTION(asinh), FUNCTION(acosh), FUNCTION(atanh)};
#undef FUNCTION

// The complex type of an argument.
std::optional<TypeCode> argument_code(Context& ctx, const Arguments& a, size_t k,
                                      const Intrinsic& i) {
  const Value& v = a.positional[k];
  if (v.is_complex()) return v.code();
  if (!require_number(ctx, v, argument_node(a, k), i.short_name() + "()")) return std::nullopt;
  const TypeCode real = ctx.policy.math_argument(v.code());
  const std::optional<TypeCode> code = ctx.policy.operator_type(ctx.policy.weakest_complex, real);
  if (!code)
    error(ctx, DiagCode::no_promotion, argument_node(a, k),
          {"combine", "complex", "with", type_text(v), what_it_is(argument_node(a, k), v)});
  return code;
}

}  // namespace

static const Function& function_named(const std::string& name) {
  for (const Function& f : kFunctions)
    if (f.name == name) return f;
  CD_UNREACHABLE("no such function of cmath");
}

static Value applied(Context& ctx, const Function& f, const Value& v, TypeCode code,
                     const Node* node) {
  if (const std::optional<Number> known = known_complex(v)) {
    const Number result = f.fold(*known);
    return complex_constant(code, result.real(), result.imag());
  }
  E e(ctx, component_of(code));
  const Parts z = parts_of(ctx, v, code, node);
  return z.re ? complex_of(code, f.compute(e, z)) : Value::unknown();
}

Value call_cmath(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const std::optional<TypeCode> code = argument_code(ctx, a, 0, i);
  if (!code) return Value::unknown();
  return applied(ctx, function_named(i.short_name()), a.positional[0], *code, a.node);
}

// log(z), log(z, base)
Value call_cmath_log(Context& ctx, const Arguments& a, const Intrinsic& i) {
  std::vector<Value> logs;
  for (size_t k = 0; k < a.positional.size(); ++k) {
    const std::optional<TypeCode> code = argument_code(ctx, a, k, i);
    if (!code) return Value::unknown();
    logs.push_back(applied(ctx, function_named("log"), a.positional[k], *code, a.node));
    if (logs.back().is_unknown()) return Value::unknown();
  }
  if (logs.size() == 1) return logs[0];
  return complex_binary(ctx, BinaryOp::Div, logs[0], logs[1], a.node, argument_node(a, 0),
                        argument_node(a, 1));
}

Value call_phase(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const std::optional<TypeCode> code = argument_code(ctx, a, 0, i);
  if (!code) return Value::unknown();
  const Parts z = parts_of(ctx, a.positional[0], *code, a.node);
  if (!z.re) return Value::unknown();
  return Value::number(component_of(*code), ctx.builder.op(Op::Atan2, {z.im, z.re}));
}

Value call_polar(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const Value phase = call_phase(ctx, a, i);
  if (phase.is_unknown()) return phase;
  const TypeCode code = *argument_code(ctx, a, 0, i);
  return Value::tuple(
      {complex_abs(ctx, convert(ctx, a.positional[0], code, a.node), a.node), phase});
}

// rect(r, phi)
Value call_rect(Context& ctx, const Arguments& a, const Intrinsic&) {
  TypeCode code = component_of(ctx.policy.weakest_complex);
  for (size_t k = 0; k < 2; ++k) {
    const Value& v = a.positional[k];
    if (!require_number(ctx, v, argument_node(a, k), "rect()")) return Value::unknown();
    const auto common = ctx.policy.operator_type(code, ctx.policy.math_argument(v.code()));
    const auto complex =
        common ? ctx.policy.operator_type(ctx.policy.weakest_complex, *common) : common;
    if (!complex)
      return error(
          ctx, DiagCode::no_promotion, argument_node(a, k),
          {"combine", "complex", "with", type_text(v), what_it_is(argument_node(a, k), v)});
    code = component_of(*complex);
  }
  E e(ctx, code);
  const auto part = [&](size_t k) {
    const Value v = convert(ctx, a.positional[k], code, argument_node(a, k));
    return v.is_unknown() ? nullptr : inst_of(ctx, v, a.node);
  };
  Inst *size = part(0), *angle = part(1);
  if (!size || !angle) return Value::unknown();
  const TypeCode complex = code == TypeCode::f8   ? TypeCode::c16
                           : code == TypeCode::f4 ? TypeCode::c8
                                                  : ctx.policy.weakest_complex;
  return complex_of(complex,
                    {times(e, size, e.op(Op::Cos, angle)), times(e, size, e.op(Op::Sin, angle))});
}

// isnan and isinf where a part is, isfinite where both are.
Value call_cmath_classify(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const std::optional<TypeCode> code = argument_code(ctx, a, 0, i);
  if (!code) return Value::unknown();
  const Parts z = parts_of(ctx, a.positional[0], *code, a.node);
  if (!z.re) return Value::unknown();
  const Op both = i.op == Op::IsFinite ? Op::And : Op::Or;
  ir::Builder& b = ctx.builder;
  return Value::number(TypeCode::b1, b.op(both, {b.op(i.op, {z.re}), b.op(i.op, {z.im})}));
}

// abs(x - y) <= max(rel_tol * max(abs(x), abs(y)), abs_tol)
Value call_cmath_isclose(Context& ctx, const Arguments& a, const Intrinsic& i) {
  Value relative = Value::constant(ctx.policy.float_literal, {0, 1e-9});
  Value absolute = Value::constant(ctx.policy.float_literal, {0, 0.0});
  for (const auto& [name, value] : a.named) {
    if (name != "rel_tol" && name != "abs_tol")
      return error(ctx, DiagCode::unexpected_keyword, a.node,
                   {"isclose", name, "its keywords are rel_tol and abs_tol"});
    (name == "rel_tol" ? relative : absolute) = value;
  }
  const auto first = argument_code(ctx, a, 0, i), second = argument_code(ctx, a, 1, i);
  if (!first || !second) return Value::unknown();
  const TypeCode code = *ctx.policy.operator_type(*first, *second);
  E e(ctx, component_of(code));
  const Parts x = parts_of(ctx, a.positional[0], code, a.node);
  const Parts y = parts_of(ctx, a.positional[1], code, a.node);
  for (Value* tolerance : {&relative, &absolute}) {
    if (!require_number(ctx, *tolerance, a.node, "isclose()")) return Value::unknown();
    *tolerance = convert(ctx, *tolerance, component_of(code), a.node);
    if (tolerance->is_unknown()) return Value::unknown();
  }
  if (!x.re || !y.re) return Value::unknown();
  const auto size = [&](Parts z) { return e.op(Op::Hypot, z.re, z.im); };
  const auto finite = [&](Parts z) {
    return e.op(Op::And, e.op(Op::IsFinite, z.re), e.op(Op::IsFinite, z.im));
  };
  Inst* largest = e.op(Op::Max, size(x), size(y));
  Inst* tolerance = e.op(Op::Max, e.op(Op::Mul, inst_of(ctx, relative, a.node), largest),
                         inst_of(ctx, absolute, a.node));
  Inst* near = e.op(Op::Le, size(e.sub(x, y)), tolerance);
  Inst* both = e.op(Op::And, finite(x), finite(y));
  return Value::number(TypeCode::b1, e.op(Op::Or, e.equal(x, y), e.op(Op::And, both, near)));
}

// z.conjugate(); a real number is its own.
Value call_conjugate(Context& ctx, const Value& v, const Node* node) {
  ctx.at(node);
  if (!v.is_complex()) return v;
  const Parts z = parts_of(ctx, v, v.code(), node);
  return complex_of(v.code(), {z.re, ctx.builder.op(Op::Neg, {z.im})});
}

}  // namespace cuda_device::frontend
