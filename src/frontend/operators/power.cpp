// x ** y.
#include "frontend/operators/operators.h"

#include <cmath>

#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"

namespace cuda_device::frontend {
namespace {

// Beyond this a call of pow is as fast, and more accurate.
constexpr int64_t kMaxFloatUnroll = 4;

// An exponent that is a small whole number, of whatever type it is written.
std::optional<int64_t> small_whole(const Value& v) {
  if (!v.exact()) return std::nullopt;
  if (!is_float(v.code()))
    return v.exact()->integer > -1024 && v.exact()->integer < 1024
               ? std::optional(static_cast<int64_t>(v.exact()->integer))
               : std::nullopt;
  if (std::fabs(v.exact()->real) > kMaxFloatUnroll ||
      std::trunc(v.exact()->real) != v.exact()->real)
    return std::nullopt;
  return static_cast<int64_t>(v.exact()->real);
}

}  // namespace

static Value power_unrolled(Context& ctx, Value base, TypeCode code, uint64_t exponent,
                            const Node* node) {
  Value result = convert(ctx, Value::constant_int(TypeCode::weak_int, 1), code, node);
  bool started = false;
  for (; exponent != 0 && !base.is_unknown(); exponent >>= 1) {
    if (exponent & 1) {
      result = started ? same_type(ctx, BinaryOp::Mult, code, result, base, node) : base;
      started = true;
    }
    if (exponent > 1) base = same_type(ctx, BinaryOp::Mult, code, base, base, node);
  }
  return base.is_unknown() ? base : result;
}

// Square and multiply while exponent > 0.
static Value power_loop(Context& ctx, Inst* base, Inst* exponent, TypeCode code) {
  ir::Builder& e = ctx.builder;
  const uint32_t result = make_slot(ctx, "", code), square = make_slot(ctx, "", code),
                 rest = make_slot(ctx, "", code);
  Inst* zero = constant_inst(ctx, base->type, 0);
  Inst* one = constant_inst(ctx, base->type, 1);
  e.slot_store(result, one);
  e.slot_store(square, base);
  e.slot_store(rest, exponent);
  Inst* loop = e.control(Op::While, {}, 3);
  ir::Block* outer = &e.block();
  e.set_block(loop->regions[0]);
  e.op(Op::Yield, {e.op(Op::Gt, {e.slot_load(rest), zero})});
  e.set_block(loop->regions[1]);
  Inst* bits = e.slot_load(rest);
  Inst* factor = e.slot_load(square);
  Inst* odd = e.op(Op::Ne, {e.op(Op::And, {bits, one}), zero});
  Inst* product = e.slot_load(result);
  e.slot_store(result, e.op(Op::Select, {odd, e.op(Op::Mul, {product, factor}), product}));
  e.slot_store(square, e.op(Op::Mul, {factor, factor}));
  e.slot_store(rest, e.op(Op::Shr, {bits, one}));
  e.set_block(*outer);
  return Value::number(code, e.slot_load(result));
}

// 1 / base ** -exponent, truncated, where the exponent is negative: only 1 and -1 have an inverse
// that is a whole number; all other bases, 0 among them, give 0.
static Value power_of_sign(Context& ctx, Inst* base, Inst* exponent, Inst* otherwise,
                           TypeCode code) {
  ir::Builder& e = ctx.builder;
  Inst* zero = constant_inst(ctx, base->type, 0);
  Inst* one = constant_inst(ctx, base->type, 1);
  Inst* inverse = e.op(Op::Select, {e.op(Op::Eq, {base, one}), one, zero});
  if (!is_unsigned(code)) {
    Inst* bit = e.op(Op::And, {exponent, constant_inst(ctx, exponent->type, 1)});
    Inst* odd = e.op(Op::Ne, {bit, constant_inst(ctx, exponent->type, 0)});
    Inst* minus_one = constant_inst(ctx, base->type, -1);
    Inst* sign = e.op(Op::Select, {odd, minus_one, one});
    inverse = e.op(Op::Select, {e.op(Op::Eq, {base, minus_one}), sign, inverse});
  }
  Inst* negative = e.op(Op::Lt, {exponent, constant_inst(ctx, exponent->type, 0)});
  return Value::number(code, e.op(Op::Select, {negative, inverse, otherwise}));
}

static Value integer_power(Context& ctx, const Value& a, const Value& b, TypeCode promoted,
                           const Node* node) {
  const bool is_fraction = b.exact() && b.exact()->integer < 0;
  if (is_fraction && ctx.policy.has_fractional_powers) {
    // A negative constant exponent makes a fraction: as 1 / (a ** -b).
    const TypeCode real = ctx.policy.true_divide(a.code(), b.code(), promoted);
    return power(ctx, convert(ctx, a, real, node), b, real, node);
  }
  if (a.is_unknown()) return a;
  const bool is_small = b.exact() && b.exact()->integer < (1 << 20);
  // One with a format of its own takes no more steps than that has bits.
  if (b.exact() && !is_fraction && (is_small || is_weak(b.code()))) {
    // The exponent is not converted: 2 ** 300 of int8 is fine and wraps.
    if (!is_small) return error(ctx, DiagCode::constant_too_large, node, {"the exponent"});
    return power_unrolled(ctx, convert(ctx, a, promoted, node), promoted,
                          static_cast<uint64_t>(b.exact()->integer), node);
  }
  const Value x = convert(ctx, a, promoted, node), y = convert(ctx, b, promoted, node);
  if (x.is_unknown() || y.is_unknown()) return Value::unknown();
  Inst* base = inst_of(ctx, x, node);
  const Value whole = power_loop(ctx, base, inst_of(ctx, y, node), promoted);
  if (is_unsigned(b.code()) || is_bool(b.code())) return whole;
  // The exponent's own sign: with an unsigned base the promoted type may have none.
  return power_of_sign(ctx, base, inst_of(ctx, b, node), whole.inst(), promoted);
}

// Both operands in the type, then computed in a wider one; a whole exponent stays one.
static Value power_in_wider(Context& ctx, const Value& a, const Value& b, TypeCode promoted,
                            TypeCode wide, const Node* node) {
  const Value x = convert(ctx, a, promoted, node);
  const Value y = small_whole(b) ? b : convert(ctx, b, promoted, node);
  if (x.is_unknown() || y.is_unknown()) return Value::unknown();
  const Value result = power(ctx, convert(ctx, x, wide, node), y, wide, node);
  return convert(ctx, result, promoted, node);
}

Value power(Context& ctx, const Value& a, const Value& b, TypeCode promoted, const Node* node) {
  if (!is_float(promoted)) return integer_power(ctx, a, b, promoted, node);
  if (const TypeCode wide = computed_in(promoted); wide != promoted)
    return power_in_wider(ctx, a, b, promoted, wide, node);
  if (a.exact() && b.exact() && is_weak(promoted)) {
    const double x = converted(*a.exact(), a.code(), promoted).real;
    return Value::constant(promoted,
                           {0, std::pow(x, converted(*b.exact(), b.code(), promoted).real)});
  }
  const Value x = convert(ctx, a, promoted, node);
  if (x.is_unknown()) return x;
  const std::optional<int64_t> whole = small_whole(b);
  if (whole && *whole >= 0 && *whole <= kMaxFloatUnroll)
    return power_unrolled(ctx, x, promoted, static_cast<uint64_t>(*whole), node);
  if (whole && *whole == -1)
    return same_type(ctx, BinaryOp::Div, promoted, Value::constant_int(TypeCode::weak_int, 1), x,
                     node);
  const Value y = convert(ctx, b, promoted, node);
  if (y.is_unknown()) return y;
  return Value::number(promoted,
                       ctx.builder.op(Op::Pow, {inst_of(ctx, x, node), inst_of(ctx, y, node)}));
}

}  // namespace cuda_device::frontend
