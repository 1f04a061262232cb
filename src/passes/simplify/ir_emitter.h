// The emitter of math_f32.h that builds IR.
#pragma once

#include <limits>

#include "ir/ir.h"

namespace cuda_device::passes {

class IrEmitter {
 public:
  using F = ir::Inst*;
  using D = ir::Inst*;
  using I = ir::Inst*;
  using B = ir::Inst*;
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

  explicit IrEmitter(ir::Builder& builder) : b_(builder) {}
  F f(float v) { return b_.const_float(ir::kF32, v); }
  D d(double v) { return b_.const_float(ir::kF64, v); }
  I i(int32_t v) { return b_.const_int(ir::kI32, v); }
  F add(F x, F y) { return b_.op(ir::Op::Add, {x, y}); }
  F sub(F x, F y) { return b_.op(ir::Op::Sub, {x, y}); }
  F mul(F x, F y) { return b_.op(ir::Op::Mul, {x, y}); }
  F div(F x, F y) { return b_.op(ir::Op::Div, {x, y}); }
  F div_estimate(F x, F y) { return b_.op(ir::Op::DivEstimate, {x, y}); }
  F min(F x, F y) { return b_.op(ir::Op::Min, {x, y}); }
  F max(F x, F y) { return b_.op(ir::Op::Max, {x, y}); }
  F neg(F x) { return b_.op(ir::Op::Neg, {x}); }
  F abs(F x) { return b_.op(ir::Op::Abs, {x}); }
  F fma(F x, F y, F z) { return b_.op(ir::Op::Fma, {x, y, z}); }
  F rint(F x) { return b_.op(ir::Op::Rint, {x}); }
  F trunc(F x) { return b_.op(ir::Op::Trunc, {x}); }
  F copysign(F x, F y) { return b_.op(ir::Op::CopySign, {x, y}); }
  B eq(F x, F y) { return b_.op(ir::Op::Eq, {x, y}); }
  B ne(F x, F y) { return b_.op(ir::Op::Ne, {x, y}); }
  B lt(F x, F y) { return b_.op(ir::Op::Lt, {x, y}); }
  B both(B x, B y) { return b_.op(ir::Op::And, {x, y}); }
  B either(B x, B y) { return b_.op(ir::Op::Or, {x, y}); }
  B not_(B x) { return b_.op(ir::Op::Not, {x}); }
  F select(B c, F x, F y) { return b_.typed(ir::Op::Select, x->type, {c, x, y}); }
  F logb(F x) { return b_.op(ir::Op::Logb, {x}); }
  F significand(F x) { return b_.op(ir::Op::Significand, {x}); }
  F scale_unit(F x, F n) { return b_.op(ir::Op::ScaleUnit, {x, n}); }
  D widen(F x) { return b_.typed(ir::Op::Convert, ir::kF64, {x}); }
  F narrow(D x) { return b_.typed(ir::Op::Convert, ir::kF32, {x}); }
  I to_int(F x) { return b_.typed(ir::Op::Convert, ir::kI32, {x}); }
  F to_float(I x) { return b_.typed(ir::Op::Convert, ir::kF32, {x}); }
  I bits(F x) { return b_.typed(ir::Op::Bitcast, ir::kI32, {x}); }
  F from_bits(I x) { return b_.typed(ir::Op::Bitcast, ir::kF32, {x}); }
  I iadd(I x, I y) { return add(x, y); }
  I isub(I x, I y) { return sub(x, y); }
  I iand(I x, I y) { return b_.op(ir::Op::And, {x, y}); }
  I ixor(I x, I y) { return b_.op(ir::Op::Xor, {x, y}); }
  I shl(I x, int n) { return b_.op(ir::Op::Shl, {x, i(n)}); }
  I sar(I x, int n) { return b_.op(ir::Op::Shr, {x, i(n)}); }

 private:
  ir::Builder& b_;
};

}  // namespace cuda_device::passes
