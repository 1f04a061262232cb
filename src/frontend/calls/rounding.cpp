// round() to integers and to decimal digits, pow() with a modulus.
#include <cmath>

#include "frontend/calls/handlers.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/calls/modular_power.h"
#include "frontend/control/control.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/warps/warps.h"

namespace cuda_device::frontend {
namespace {

constexpr int kMostDigits = 22;                   // 10**22 is the last power that float64 holds
constexpr double kNoFraction = 9007199254740992;  // 2**53

// float64 instructions of one computation.
class Double {
 public:
  explicit Double(Context& ctx) : e_(ctx.builder) {}
  Inst* number(double x) { return e_.const_float(ir::Type::of(ScalarKind::F64), x); }
  Inst* op(Op op, std::initializer_list<Inst*> operands) { return e_.op(op, operands); }
  // value where test holds, else otherwise
  Inst* where(Inst* test, Inst* value, Inst* otherwise) {
    return e_.op(Op::Select, {test, value, otherwise});
  }
  Inst* both(Inst* a, Inst* b) { return e_.op(Op::And, {a, b}); }

 private:
  ir::Builder& e_;
};

}  // namespace

// x * scale as a rounded product and the exact rest; half a unit of the product is a tie only where
// there is no rest.
static Inst* rounded_product(Double& d, Inst* x, Inst* scale) {
  // An addition of the product must not be contracted.
  Inst* product = d.op(Op::Fma, {x, scale, d.number(0)});
  Inst* rest = d.op(Op::Fma, {x, scale, d.op(Op::Neg, {product})});
  Inst* nearest = d.op(Op::Rint, {product});
  Inst* away = d.op(Op::Sub, {product, nearest});
  const auto moved = [&](double half, Op sign) {
    Inst* tie = d.op(Op::Eq, {away, d.number(half)});
    return d.both(tie, d.op(sign, {rest, d.number(0)}));
  };
  Inst* up = d.where(moved(0.5, Op::Gt), d.number(1), d.number(0));
  Inst* down = d.where(moved(-0.5, Op::Lt), d.number(1), d.number(0));
  nearest = d.op(Op::Sub, {d.op(Op::Add, {nearest, up}), down});
  // Above it there is no fraction that scale could show, and infinity and NaN stay what they are.
  Inst* small = d.op(Op::Lt, {d.op(Op::Abs, {product}), d.number(kNoFraction)});
  Inst* result = d.op(Op::CopySign, {d.op(Op::Div, {nearest, scale}), x});
  return d.where(small, result, x);
}

// To a multiple of scale: the quotient's nearest integer, or its neighbour where the exact rest
// says so.
static Inst* rounded_quotient(Double& d, Inst* x, Inst* scale, double half) {
  Inst* nearest = d.op(Op::Rint, {d.op(Op::Div, {x, scale})});
  Inst* rest = d.op(Op::Fma, {d.op(Op::Neg, {nearest}), scale, x});
  Inst* odd = d.op(Op::Ne, {d.op(Op::Abs, {d.op(Op::Fmod, {nearest, d.number(2)})}), d.number(0)});
  const auto moved = [&](double bound, Op beyond) {
    Inst* tie = d.both(d.op(Op::Eq, {rest, d.number(bound)}), odd);
    Inst* past = d.op(Op::Or, {d.op(beyond, {rest, d.number(bound)}), tie});
    return d.where(past, d.number(1), d.number(0));
  };
  Inst* up = moved(half, Op::Gt);
  Inst* down = moved(-half, Op::Lt);
  nearest = d.op(Op::Sub, {d.op(Op::Add, {nearest, up}), down});
  // Above it the next floats are further away than the next multiples.
  Inst* small = d.op(Op::Lt, {d.op(Op::Abs, {nearest}), d.number(kNoFraction)});
  return d.where(small, d.op(Op::CopySign, {d.op(Op::Mul, {nearest, scale}), x}), x);
}

// As Python rounds: to the nearest decimal number, a tie to the even digit, of the number's exact
// value.
static Value rounded_float(Context& ctx, const Value& x, int digits, const Arguments& a) {
  const Value wide = convert(ctx, x, TypeCode::f8, a.node);
  if (wide.is_unknown()) return wide;
  Double d(ctx);
  Inst* scale = d.number(std::pow(10.0, std::abs(digits)));
  Inst* number = inst_of(ctx, wide, a.node);
  Inst* result = digits >= 0 ? rounded_product(d, number, scale)
                             : rounded_quotient(d, number, scale, std::pow(10.0, -digits) / 2);
  return convert(ctx, Value::number(TypeCode::f8, result), x.code(), a.node);
}

// Integers have no digits after the point; before it, a tie goes to the even one.
static Value rounded_integer(Context& ctx, const Value& x, int digits, const Arguments& a) {
  if (digits >= 0) return x;
  __int128 power = 1;
  for (int i = 0; i < -digits; ++i) power *= 10;
  const auto number = [&](__int128 n) { return Value::constant_int(TypeCode::weak_int, n); };
  if (!fits(power, x.code())) return convert(ctx, number(0), x.code(), a.node);
  const auto step = [&](BinaryOp op, const Value& p, const Value& q) {
    return arithmetic(ctx, op, p, q, a.node, a.node, a.node);
  };
  const Value quotient = step(BinaryOp::FloorDiv, x, number(power));
  const Value rest = step(BinaryOp::Mod, x, number(power));
  const Value above = compare(ctx, CompareOp::Gt, rest, number(power / 2), a.node);
  const Value tie = compare(ctx, CompareOp::Eq, rest, number(power / 2), a.node);
  const Value odd =
      compare(ctx, CompareOp::Eq, step(BinaryOp::Mod, quotient, number(2)), number(1), a.node);
  const Value up = both(ctx, above, both(ctx, tie, odd, Op::And, a.node), Op::Or, a.node);
  const Value whole = step(BinaryOp::Mult, quotient, number(power));
  const Value next = step(BinaryOp::Add, whole, number(power));
  if (up.is_unknown() || next.is_unknown()) return Value::unknown();
  if (up.exact()) return up.exact()->integer ? next : whole;
  return select(ctx, up, next, whole, abstract_of(whole), a.node);
}

static Value to_digits(Context& ctx, const Value& x, const Arguments& a) {
  const Value& digits = a.positional[1];
  if (!digits.is_number() || !is_int(digits.code()))
    return error(ctx, DiagCode::needs_integer, argument_node(a, 1),
                 {"the number of digits", type_text(digits)});
  const bool known = digits.exact() && digits.exact()->integer >= -kMostDigits &&
                     digits.exact()->integer <= kMostDigits;
  if (!known)
    return error(
        ctx, DiagCode::round_digits, argument_node(a, 1),
        {digits.exact() ? to_text(digits.exact()->integer) : with_article(type_text(digits))});
  const int n = static_cast<int>(digits.exact()->integer);
  return is_float(x.code()) ? rounded_float(ctx, x, n, a) : rounded_integer(ctx, x, n, a);
}

Value call_round(Context& ctx, const Arguments& a, const Intrinsic&) {
  Value v = number_of_mask(ctx, a.positional[0], a.node);
  if (!require_number(ctx, v, argument_node(a, 0), "round()")) return Value::unknown();
  if (is_bool(v.code())) v = convert(ctx, v, ctx.policy.bool_arithmetic, a.node);
  if (a.positional.size() == 2 && !a.positional[1].is_none()) return to_digits(ctx, v, a);
  if (!is_float(v.code())) return v;
  const TypeCode result = ctx.policy.int_literal(0);
  warn_of_narrow_int(ctx, v, result, a.node);
  if (v.exact())
    return convert(ctx, Value::constant(v.code(), {0, std::nearbyint(v.exact()->real)}), result,
                   a.node);
  const Value rounded = Value::number(v.code(), ctx.builder.op(Op::Rint, {v.inst()}));
  return as_intact(convert(ctx, rounded, result, a.node));
}

// ------------------------------------------------------------------------------------------------
// pow

// base ** exponent % modulus by squaring, in `wide`, which holds the square of any number below the
// modulus. Python's result has the modulus's sign.
static Value power_loop(Context& ctx, const std::vector<Value>& v, TypeCode wide,
                        const Arguments& a) {
  ir::Builder& e = ctx.builder;
  const auto in_wide = [&](const Value& x) {
    return inst_of(ctx, convert(ctx, x, wide, a.node), a.node);
  };
  Inst* modulus = in_wide(v[2]);
  const ir::Type type = modulus->type;
  const uint32_t base = make_slot(ctx, "", wide), exponent = make_slot(ctx, "", wide),
                 result = make_slot(ctx, "", wide);
  Inst *zero = constant_inst(ctx, type, 0), *one = constant_inst(ctx, type, 1);
  e.slot_store(base, e.op(Op::FloorMod, {in_wide(v[0]), modulus}));
  e.slot_store(exponent, in_wide(v[1]));
  e.slot_store(result, e.op(Op::FloorMod, {one, modulus}));
  Inst* loop = e.control(Op::While, {}, 3);
  ir::Block* outer = &e.block();
  e.set_block(loop->regions[0]);
  e.op(Op::Yield, {e.op(Op::Gt, {e.slot_load(exponent), zero})});
  e.set_block(loop->regions[1]);
  const auto times = [&](Inst* x, Inst* y) {
    return e.op(Op::FloorMod, {e.op(Op::Mul, {x, y}), modulus});
  };
  Inst* odd = e.op(Op::Ne, {e.op(Op::And, {e.slot_load(exponent), one}), zero});
  Inst* old = e.slot_load(result);
  Inst* number = e.slot_load(base);
  e.slot_store(result, e.op(Op::Select, {odd, times(old, number), old}));
  e.slot_store(base, times(number, number));
  e.slot_store(exponent, e.op(Op::Shr, {e.slot_load(exponent), one}));
  e.set_block(*outer);
  return Value::number(wide, e.slot_load(result));
}

// At run time, where only that tells.
static void check_exponent(Context& ctx, const Arguments& a) {
  const Value& exponent = a.positional[1];
  if (!ctx.policy.can_fail || exponent.exact() || is_unsigned(exponent.code())) return;
  Inst* zero = constant_inst(ctx, exponent.inst()->type, 0);
  fail_unless(ctx, Value::number(TypeCode::b1, ctx.builder.op(Op::Ge, {exponent.inst(), zero})),
              a.node,
              {"ValueError", {"pow() with a modulus takes no negative exponent in a kernel"}});
}

static Value modular_power(Context& ctx, const Arguments& a) {
  TypeCode code = ctx.policy.int_literal(0);
  for (size_t k = 0; k < a.positional.size(); ++k) {
    const Value& v = a.positional[k];
    if (!v.is_number() || !is_int(v.code()))
      return error(ctx, DiagCode::needs_integer, argument_node(a, k),
                   {"pow() with a modulus", type_text(v)});
    code = *ctx.policy.operator_type(code, v.code());
  }
  if (const Exact* exponent = a.positional[1].exact(); exponent && exponent->integer < 0)
    return not_implemented(ctx, a.node, "pow() with a modulus and a negative exponent");
  ctx.at(a.node);
  check_exponent(ctx, a);
  if (bits_of(fixed(code)) > 32) return modular_power_64(ctx, a.positional, code, a.node);
  const TypeCode wide = is_unsigned(code) ? TypeCode::u8 : TypeCode::i8;
  const Value result = power_loop(ctx, a.positional, wide, a);
  return convert(ctx, result, code, a.node);
}

Value call_pow(Context& ctx, const Arguments& a, const Intrinsic&) {
  if (a.positional.size() == 3 && !a.positional[2].is_none()) return modular_power(ctx, a);
  return binary(ctx, BinaryOp::Pow, a.positional[0], a.positional[1], a.node, argument_node(a, 0),
                argument_node(a, 1));
}

}  // namespace cuda_device::frontend
