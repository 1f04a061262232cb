// Operators on complex numbers.
#include "frontend/complex/complex.h"

#include <cmath>
#include <complex>

#include "frontend/diagnosis/diagnosis.h"
#include "frontend/diagnosis/operator_names.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"

namespace cuda_device::frontend {
namespace {

// Beyond this a power by multiplications is slower than by exp and log, and less accurate.
constexpr int64_t kMostMultiplied = 100;

std::optional<std::complex<double>> folded(BinaryOp op, std::complex<double> a,
                                           std::complex<double> b) {
  switch (op) {
    case BinaryOp::Add:
      return a + b;
    case BinaryOp::Sub:
      return a - b;
    case BinaryOp::Mult:
      return a * b;
    case BinaryOp::Div:
      if (b == 0.0) return std::nullopt;
      return a / b;
    default:
      return std::nullopt;
  }
}

// An exponent that is a small whole number.
std::optional<int64_t> small_whole(const Value& v) {
  if (!v.exact()) return std::nullopt;
  const double real = converted(*v.exact(), v.code(), TypeCode::weak_float).real;
  if (std::trunc(real) != real || std::fabs(real) > kMostMultiplied) return std::nullopt;
  return static_cast<int64_t>(real);
}

Parts one(ComplexEmitter& e) { return {e.number(1), e.number(0)}; }

// By squares: z**5 is (z**2)**2 * z.
Parts multiplied_power(ComplexEmitter& e, Parts z, uint64_t exponent) {
  Parts result;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = result.re ? e.mul(result, z) : z;
    if (exponent > 1) z = e.mul(z, z);
  }
  return result.re ? result : one(e);
}

// exp(y * log(x)); zero to a positive power is zero, and anything to the power of zero is 1.
Parts general_power(ComplexEmitter& e, Parts x, Parts y) {
  const Parts zero = {e.number(0), e.number(0)};
  Inst* base_zero = e.op(Op::And, e.equal(x, zero), e.op(Op::Gt, y.re, zero.re));
  const Parts power = complex_exp(e, e.mul(y, complex_log(e, x)));
  return e.select(e.equal(y, zero), one(e), e.select(base_zero, zero, power));
}

Parts power(ComplexEmitter& e, Parts x, const Value& exponent, Parts y) {
  const std::optional<int64_t> whole = small_whole(exponent);
  if (!whole) return general_power(e, x, y);
  const Parts positive = multiplied_power(e, x, static_cast<uint64_t>(std::abs(*whole)));
  return *whole < 0 ? e.div(one(e), positive) : positive;
}

// A real number beside a complex one stays real, as in C: no product with a zero that is not there.
Parts with_real(ComplexEmitter& e, BinaryOp op, Parts z, Inst* x, bool real_first) {
  switch (op) {
    case BinaryOp::Add:
      return {real_first ? e.op(Op::Add, x, z.re) : e.op(Op::Add, z.re, x), z.im};
    case BinaryOp::Sub:
      if (real_first) return {e.op(Op::Sub, x, z.re), e.op(Op::Neg, z.im)};
      return {e.op(Op::Sub, z.re, x), z.im};
    case BinaryOp::Mult:
      return e.scaled(z, x);
    default:
      return {e.op(Op::Div, z.re, x), e.op(Op::Div, z.im, x)};
  }
}

Parts of_two(ComplexEmitter& e, BinaryOp op, Parts a, Parts b) {
  switch (op) {
    case BinaryOp::Add:
      return e.add(a, b);
    case BinaryOp::Sub:
      return e.sub(a, b);
    case BinaryOp::Mult:
      return e.mul(a, b);
    default:
      return e.div(a, b);
  }
}

bool is_defined(const Policy& policy, BinaryOp op) {
  if (op == BinaryOp::Add || op == BinaryOp::Sub || op == BinaryOp::Mult) return true;
  return policy.has_complex_operators && (op == BinaryOp::Div || op == BinaryOp::Pow);
}

}  // namespace

std::optional<std::complex<double>> known_complex(const Value& v) {
  if (!is_weak(v.code())) return std::nullopt;
  if (v.exact()) return converted(*v.exact(), v.code(), TypeCode::weak_float).real;
  if (!v.is_complex()) return std::nullopt;
  const std::span<const Value> parts = v.parts();
  if (!parts[0].exact() || !parts[1].exact()) return std::nullopt;
  return std::complex<double>(parts[0].exact()->real, parts[1].exact()->real);
}

Value complex_constant(TypeCode code, double real, double imag) {
  const TypeCode part = component_of(code);
  return Value::Complex{code, {Value::constant(part, {0, real}), Value::constant(part, {0, imag})}};
}

Parts parts_of(Context& ctx, const Value& v, TypeCode code, const Node* node) {
  const Value z = convert(ctx, v, code, node);
  if (z.is_unknown()) return {};
  return {inst_of(ctx, z.parts()[0], node), inst_of(ctx, z.parts()[1], node)};
}

Value complex_of(TypeCode code, Parts parts) {
  if (!parts.re) return Value::unknown();
  const TypeCode part = component_of(code);
  return Value::Complex{code, {Value::number(part, parts.re), Value::number(part, parts.im)}};
}

static const char* operators_of(const Policy& policy) {
  return policy.has_complex_operators ? "complex numbers have + - * / **, == and !="
                                      : "complex numbers of this dialect have + - and *";
}

Value complex_binary(Context& ctx, BinaryOp op, const Value& a, const Value& b, const Node* node,
                     const Node* left, const Node* right) {
  const std::optional<TypeCode> common = ctx.policy.operator_type(a.code(), b.code());
  std::vector<std::string> args = operation_text(op, type_text(a), type_text(b));
  if (!common) {
    args.push_back(what_it_is(left, a));
    return operator_error(ctx, DiagCode::no_promotion, node, left, right, sign_of(op),
                          std::move(args));
  }
  if (!is_defined(ctx.policy, op)) {
    args.emplace_back(operators_of(ctx.policy));
    return operator_error(ctx, DiagCode::operand_types, node, left, right, sign_of(op),
                          std::move(args));
  }
  const auto x = known_complex(a), y = known_complex(b);
  if (const auto z = x && y ? folded(op, *x, *y) : std::nullopt)
    return complex_constant(*common, z->real(), z->imag());
  warn_of_precision(ctx, a, *common, left ? left : node);
  warn_of_precision(ctx, b, *common, right ? right : node);
  ComplexEmitter e(ctx, component_of(*common));
  const bool real_divisor = op != BinaryOp::Div || !b.is_complex();
  if (ctx.policy.keeps_real_operands && op != BinaryOp::Pow && a.is_complex() != b.is_complex() &&
      real_divisor) {
    const Value &real = a.is_complex() ? b : a, &z = a.is_complex() ? a : b;
    const Value number = convert(ctx, real, component_of(*common), node);
    const Parts parts = parts_of(ctx, z, *common, node);
    if (number.is_unknown() || !parts.re) return Value::unknown();
    return complex_of(*common, with_real(e, op, parts, inst_of(ctx, number, node), &real == &a));
  }
  const Parts p = parts_of(ctx, a, *common, node), q = parts_of(ctx, b, *common, node);
  if (!p.re || !q.re) return Value::unknown();
  return complex_of(*common, op == BinaryOp::Pow ? power(e, p, b, q) : of_two(e, op, p, q));
}

Value complex_unary(Context& ctx, const std::string& op, const Value& v, const Node* node) {
  if (op == "Invert") return error(ctx, DiagCode::unary_type, node, {"~", type_text(v)});
  if (op == "UAdd") return v;
  std::vector<Value> parts;
  for (const Value& part : v.parts()) parts.push_back(negative(ctx, part, node));
  return v.with_parts(std::move(parts));
}

Value complex_compare(Context& ctx, CompareOp op, const Value& a, const Value& b, const Node* node,
                      const Node* left, const Node* right) {
  const std::optional<TypeCode> common = ctx.policy.operator_type(a.code(), b.code());
  const bool equality = op == CompareOp::Eq || op == CompareOp::NotEq;
  if (!common)
    return operator_error(ctx, DiagCode::cannot_compare, node, left, right, sign_of(op),
                          {std::string(sign_of(op)), type_text(a), type_text(b),
                           "numbers can be compared, and tuples of them"});
  if (!equality || !ctx.policy.has_complex_operators)
    return operator_error(
        ctx, DiagCode::operand_types, node, left, right, sign_of(op),
        {"compare", type_text(a), "with", type_text(b), operators_of(ctx.policy)});
  const auto x = known_complex(a), y = known_complex(b);
  if (x && y) return Value::boolean((*x == *y) == (op == CompareOp::Eq));
  const Parts p = parts_of(ctx, a, *common, node), q = parts_of(ctx, b, *common, node);
  if (!p.re || !q.re) return Value::unknown();
  const Value equal =
      Value::number(TypeCode::b1, ComplexEmitter(ctx, component_of(*common)).equal(p, q));
  return op == CompareOp::Eq ? equal : negated(ctx, equal, node);
}

Value complex_truth(Context& ctx, const Value& v, const Node* node) {
  if (const auto z = known_complex(v)) return Value::boolean(*z != 0.0);
  const Parts parts = parts_of(ctx, v, v.code(), node);
  ComplexEmitter e(ctx, component_of(v.code()));
  Inst* zero = e.number(0);
  return Value::number(TypeCode::b1,
                       e.op(Op::Or, e.op(Op::Ne, parts.re, zero), e.op(Op::Ne, parts.im, zero)));
}

}  // namespace cuda_device::frontend
