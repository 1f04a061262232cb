#include "frontend/complex/complex_parts.h"

#include <cmath>

#include "frontend/control/variables.h"

namespace cuda_device::frontend {

ComplexEmitter::ComplexEmitter(Context& ctx, TypeCode component)
    : ctx_(ctx),
      e_(ctx.builder),
      component_(component),
      type_(ir::Type::of(*scalar_of(component))) {}

Inst* ComplexEmitter::number(double value) { return e_.const_float(type_, value); }
Inst* ComplexEmitter::op(Op operation, Inst* x) { return e_.op(operation, {x}); }
Inst* ComplexEmitter::op(Op operation, Inst* x, Inst* y) { return e_.op(operation, {x, y}); }
Inst* ComplexEmitter::select(Inst* condition, Inst* x, Inst* y) {
  return e_.typed(Op::Select, x->type, {condition, x, y});
}
Parts ComplexEmitter::select(Inst* condition, Parts x, Parts y) {
  return {select(condition, x.re, y.re), select(condition, x.im, y.im)};
}

Parts ComplexEmitter::add(Parts x, Parts y) {
  return {op(Op::Add, x.re, y.re), op(Op::Add, x.im, y.im)};
}
Parts ComplexEmitter::sub(Parts x, Parts y) {
  return {op(Op::Sub, x.re, y.re), op(Op::Sub, x.im, y.im)};
}
Parts ComplexEmitter::neg(Parts x) { return {op(Op::Neg, x.re), op(Op::Neg, x.im)}; }
Parts ComplexEmitter::scaled(Parts x, Inst* factor) {
  return {op(Op::Mul, x.re, factor), op(Op::Mul, x.im, factor)};
}

Inst* ComplexEmitter::equal(Parts x, Parts y) {
  return op(Op::And, op(Op::Eq, x.re, y.re), op(Op::Eq, x.im, y.im));
}

Inst* ComplexEmitter::is_infinite(Parts x) {
  return op(Op::Or, op(Op::IsInf, x.re), op(Op::IsInf, x.im));
}
Inst* ComplexEmitter::is_finite(Parts x) {
  return op(Op::And, op(Op::IsFinite, x.re), op(Op::IsFinite, x.im));
}
Inst* ComplexEmitter::as_unit(Inst* x) {
  return op(Op::CopySign, select(op(Op::IsInf, x), number(1), number(0)), x);
}
Inst* ComplexEmitter::zero_where_nan(Inst* x) {
  return select(op(Op::IsNan, x), op(Op::CopySign, number(0), x), x);
}
Parts ComplexEmitter::as_units(Parts x) { return {as_unit(x.re), as_unit(x.im)}; }
Parts ComplexEmitter::zeros_where_nan(Parts x) {
  return {zero_where_nan(x.re), zero_where_nan(x.im)};
}

template <class F>
Parts ComplexEmitter::recovered(Parts result, F&& recover) {
  const uint32_t re = make_slot(ctx_, "", component_), im = make_slot(ctx_, "", component_);
  e_.slot_store(re, result.re);
  e_.slot_store(im, result.im);
  Inst* both = op(Op::And, op(Op::IsNan, result.re), op(Op::IsNan, result.im));
  Inst* branch = e_.control(Op::If, {both}, 2);
  ir::Block* outer = &e_.block();
  e_.set_block(ir::then_block(*branch));
  const Parts better = recover();
  e_.slot_store(re, better.re);
  e_.slot_store(im, better.im);
  e_.set_block(*outer);
  return {e_.slot_load(re), e_.slot_load(im)};
}

Parts ComplexEmitter::mul(Parts x, Parts y) {
  const Parts plain = {op(Op::Sub, op(Op::Mul, x.re, y.re), op(Op::Mul, x.im, y.im)),
                       op(Op::Add, op(Op::Mul, x.re, y.im), op(Op::Mul, x.im, y.re))};
  return recovered(plain, [&] { return recover_product(x, y); });
}

// ISO C, G.5.1: an infinite factor counts as one of size 1 in its direction, and the product is
// infinite; so it is where a product of parts overflowed.
Parts ComplexEmitter::recover_product(Parts x, Parts y) {
  Inst *x_infinite = is_infinite(x), *y_infinite = is_infinite(y);
  Parts a = select(x_infinite, as_units(x), x);
  Parts b = select(y_infinite, as_units(y), y);
  a = select(y_infinite, zeros_where_nan(a), a);
  b = select(x_infinite, zeros_where_nan(b), b);
  Inst* large = op(Op::Or, is_infinite({op(Op::Mul, x.re, y.re), op(Op::Mul, x.im, y.im)}),
                   is_infinite({op(Op::Mul, x.re, y.im), op(Op::Mul, x.im, y.re)}));
  Inst* either = op(Op::Or, x_infinite, y_infinite);
  Inst* only_large = op(Op::And, large, op(Op::Not, either));
  a = select(only_large, zeros_where_nan(a), a);
  b = select(only_large, zeros_where_nan(b), b);
  Inst* infinity = number(HUGE_VAL);
  const Parts product = {
      op(Op::Mul, infinity, op(Op::Sub, op(Op::Mul, a.re, b.re), op(Op::Mul, a.im, b.im))),
      op(Op::Mul, infinity, op(Op::Add, op(Op::Mul, a.re, b.im), op(Op::Mul, a.im, b.re)))};
  Inst* nan = number(NAN);
  return select(op(Op::Or, either, large), product, {nan, nan});
}

// The divisor is scaled to a size near 1, so that its square neither overflows nor vanishes.
Parts ComplexEmitter::div(Parts x, Parts y) {
  Inst *re = op(Op::Abs, y.re), *im = op(Op::Abs, y.im);
  Inst* most = select(op(Op::IsNan, re), im, select(op(Op::Gt, im, re), im, re));
  Inst* size = op(Op::Logb, most);
  Inst* shift = select(op(Op::IsFinite, size), op(Op::Neg, size), number(0));
  const auto scale = [&](Inst* v) { return op(Op::Scale, v, shift); };
  const Parts d = {scale(y.re), scale(y.im)};
  Inst* norm = op(Op::Add, op(Op::Mul, d.re, d.re), op(Op::Mul, d.im, d.im));
  const auto part = [&](Inst* numerator) { return scale(op(Op::Div, numerator, norm)); };
  const Parts plain = {part(op(Op::Add, op(Op::Mul, x.re, d.re), op(Op::Mul, x.im, d.im))),
                       part(op(Op::Sub, op(Op::Mul, x.im, d.re), op(Op::Mul, x.re, d.im)))};
  return recovered(plain, [&] { return recover_quotient(x, d, size, norm, plain); });
}

// ISO C, G.5.1: a number by zero is infinite, infinity by a finite number too, and a finite number
// by infinity is zero.
Parts ComplexEmitter::recover_quotient(Parts x, Parts y, Inst* size, Inst* norm, Parts given) {
  const auto rotated = [&](Inst* factor, Parts a, Parts b) -> Parts {
    return {op(Op::Mul, factor, op(Op::Add, op(Op::Mul, a.re, b.re), op(Op::Mul, a.im, b.im))),
            op(Op::Mul, factor, op(Op::Sub, op(Op::Mul, a.im, b.re), op(Op::Mul, a.re, b.im)))};
  };
  Inst* infinity = number(HUGE_VAL);
  Inst* x_is_nan = op(Op::And, op(Op::IsNan, x.re), op(Op::IsNan, x.im));
  Inst* by_zero = op(Op::And, op(Op::Eq, norm, number(0)), op(Op::Not, x_is_nan));
  Inst* of_infinity = op(Op::And, is_infinite(x), is_finite(y));
  Inst* by_infinity =
      op(Op::And, op(Op::And, op(Op::IsInf, size), op(Op::Gt, size, number(0))), is_finite(x));
  Parts result = select(by_infinity, rotated(number(0), x, as_units(y)), given);
  result = select(of_infinity, rotated(infinity, as_units(x), y), result);
  return select(by_zero, scaled(x, op(Op::CopySign, infinity, y.re)), result);
}

}  // namespace cuda_device::frontend
