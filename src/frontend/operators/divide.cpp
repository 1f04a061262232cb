// Floor division and remainder: integers by the IR's own operations, floats as NumPy does it.
#include "frontend/operators/operators.h"

#include <cmath>

#include "frontend/operators/convert.h"

namespace cuda_device::frontend {
namespace {

// NumPy's divmod on doubles; the IR form below is the same step by step.
Exact exact_divmod(BinaryOp op, double a, double b) {
  double mod = std::fmod(a, b);
  if (b == 0) return {0, op == BinaryOp::Mod ? mod : a / b};
  double quotient = (a - mod) / b;
  if (mod == 0) {
    mod = std::copysign(0.0, b);
  } else if ((b < 0) != (mod < 0)) {
    mod += b;
    quotient -= 1;
  }
  if (op == BinaryOp::Mod) return {0, mod};
  if (quotient == 0) return {0, std::copysign(0.0, a / b)};
  const double whole = std::floor(quotient);
  return {0, quotient - whole > 0.5 ? whole + 1 : whole};
}

}  // namespace

// (a // b, a % b). Exact remainder first; the quotient from what is left, corrected to the nearest
// whole number.
static std::pair<Inst*, Inst*> float_divmod(Context& ctx, Inst* a, Inst* b) {
  ir::Builder& e = ctx.builder;
  Inst* zero = constant_inst(ctx, a->type, 0);
  Inst* one = constant_inst(ctx, a->type, 1);
  Inst* half = constant_inst(ctx, a->type, 0.5);
  Inst* mod = e.op(Op::Fmod, {a, b});
  Inst* quotient = e.op(Op::Div, {e.op(Op::Sub, {a, mod}), b});
  // A remainder of the other sign goes one divisor further.
  Inst* nonzero = e.op(Op::Ne, {mod, zero});
  Inst* signs_differ = e.op(Op::Ne, {e.op(Op::Lt, {b, zero}), e.op(Op::Lt, {mod, zero})});
  Inst* adjust = e.op(Op::And, {nonzero, signs_differ});
  Inst* signed_zero = e.op(Op::CopySign, {zero, b});
  Inst* nonzero_mod = e.op(Op::Select, {adjust, e.op(Op::Add, {mod, b}), mod});
  Inst* remainder = e.op(Op::Select, {nonzero, nonzero_mod, signed_zero});
  quotient = e.op(Op::Select, {adjust, e.op(Op::Sub, {quotient, one}), quotient});
  Inst* whole = e.op(Op::Floor, {quotient});
  Inst* above = e.op(Op::Gt, {e.op(Op::Sub, {quotient, whole}), half});
  whole = e.op(Op::Select, {above, e.op(Op::Add, {whole, one}), whole});
  Inst* plain = e.op(Op::Div, {a, b});
  Inst* is_zero = e.op(Op::Eq, {quotient, zero});
  whole = e.op(Op::Select, {is_zero, e.op(Op::CopySign, {zero, plain}), whole});
  // Division by zero gives IEEE's quotient and a remainder that is NaN.
  Inst* by_zero = e.op(Op::Eq, {b, zero});
  return {e.op(Op::Select, {by_zero, plain, whole}), e.op(Op::Select, {by_zero, mod, remainder})};
}

Value floor_divide(Context& ctx, BinaryOp op, TypeCode promoted, const Value& a, const Value& b,
                   const Node* node) {
  const TypeCode result = op == BinaryOp::FloorDiv ? ctx.policy.floor_divide(promoted) : promoted;
  const Value x = convert(ctx, a, promoted, node), y = convert(ctx, b, promoted, node);
  if (x.is_unknown() || y.is_unknown()) return Value::unknown();
  // The quotient may be wider than what the operands meet in.
  if (!is_float(promoted)) return same_type(ctx, op, result, x, y, node);
  if (x.exact() && y.exact() && fixed(promoted) != promoted) {
    const Exact folded = exact_divmod(op, x.exact()->real, y.exact()->real);
    return convert(ctx, Value::constant(promoted, folded), result, node);
  }
  const TypeCode wide = computed_in(promoted);
  const auto operand = [&](const Value& v) {
    return inst_of(ctx, convert(ctx, v, wide, node), node);
  };
  Inst *dividend = operand(x), *divisor = operand(y);
  auto [quotient, remainder] = float_divmod(ctx, dividend, divisor);
  const Value number = Value::number(wide, op == BinaryOp::FloorDiv ? quotient : remainder);
  return convert(ctx, convert(ctx, number, promoted, node), result, node);
}

}  // namespace cuda_device::frontend
