// Complex arithmetic on instructions for the real and imaginary parts. Products and quotients are
// those of C's Annex G: infinities stay infinite where a plain formula gives NaN. Nothing but
// operations that every target computes alike, so all give the same bits.
#pragma once

#include "frontend/context.h"

namespace cuda_device::frontend {

struct Parts {
  Inst* re = nullptr;
  Inst* im = nullptr;
};

class ComplexEmitter {
 public:
  // `component`: the type of the parts.
  ComplexEmitter(Context& ctx, TypeCode component);

  Parts add(Parts x, Parts y);
  Parts sub(Parts x, Parts y);
  Parts mul(Parts x, Parts y);
  Parts div(Parts x, Parts y);
  Parts neg(Parts x);
  Parts scaled(Parts x, Inst* factor);  // by a real number
  Inst* equal(Parts x, Parts y);

  Inst* number(double value);
  Inst* op(Op operation, Inst* x);
  Inst* op(Op operation, Inst* x, Inst* y);
  Inst* select(Inst* condition, Inst* x, Inst* y);
  Parts select(Inst* condition, Parts x, Parts y);

 private:
  // What the two variables hold after `recover` where both parts are NaN.
  template <class F>
  Parts recovered(Parts result, F&& recover);
  Parts recover_product(Parts x, Parts y);
  Parts recover_quotient(Parts x, Parts y, Inst* size, Inst* norm, Parts given);
  Inst* is_infinite(Parts x);
  Inst* is_finite(Parts x);
  Inst* as_unit(Inst* x);         // 1 where it is infinite, else 0, with its sign
  Inst* zero_where_nan(Inst* x);  // with its sign
  Parts as_units(Parts x);
  Parts zeros_where_nan(Parts x);

  Context& ctx_;
  ir::Builder& e_;
  TypeCode component_;
  ir::Type type_;
};

}  // namespace cuda_device::frontend
