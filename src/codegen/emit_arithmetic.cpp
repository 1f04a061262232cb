#include "codegen/emit_arithmetic.h"

#include "ir/effects.h"
#include "support/check.h"

namespace cuda_device::codegen {

using ir::Op;
using llvm::Value;
namespace id = llvm::Intrinsic;

Value* Arithmetic::integer(Value* like, int64_t value) {
  return llvm::ConstantInt::getSigned(like->getType(), value, /*ImplicitTrunc=*/true);
}

Value* Arithmetic::number(Value* like, double value) {
  return llvm::ConstantFP::get(like->getType(), value);
}

llvm::Type* Arithmetic::lanes(Value* like, ScalarKind kind) {
  return with_lanes_of(like->getType(), register_type(b_.getContext(), kind));
}

const char* Arithmetic::c_suffix(ScalarKind kind) {
  switch (compute_format(kind)) {
    case ComputeFormat::F32:
      return "f";
    case ComputeFormat::F64:
      return "";
  }
  CD_UNREACHABLE("unknown float");
}

Value* Arithmetic::emit(Op op, ScalarKind kind, ScalarKind result, Values v) {
  CD_CHECK(!is_storage_only(kind) || !ir::computes(op),
           "arithmetic in " + std::string(name_of(kind)) + " comes to code");
  switch (op) {
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Neg:
    case Op::Abs:
    case Op::Fma:
    case Op::Min:
    case Op::Max:
      return arithmetic(op, kind, v);
    case Op::FloorDiv:
      return floor_div(kind, v[0], v[1]);
    case Op::FloorMod:
      return floor_mod(kind, v[0], v[1]);
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::Not:
    case Op::Shl:
    case Op::Shr:
    case Op::Brev:
      return bitwise(op, kind, v);
    case Op::Eq:
    case Op::Ne:
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge:
      return compare(op, kind, v[0], v[1]);
    case Op::Select:
      return b_.CreateSelect(v[0], v[1], v[2]);
    case Op::Convert:
      return convert(kind, result, v[0]);
    case Op::Bitcast:
      return b_.CreateBitCast(v[0], lanes(v[0], result));
    case Op::Popc:
    case Op::Clz:
    case Op::Ffs:
      return bit_query(op, v[0]);
    case Op::Floor:
    case Op::Ceil:
    case Op::Trunc:
    case Op::Rint:
    case Op::CopySign:
      return round_to_integral(op, v);
    case Op::IsNan:
    case Op::IsInf:
    case Op::IsFinite:
      return classify(op, v[0]);
    case Op::Ldexp:
      return ldexp(kind, v[0], v[1]);
    case Op::Scale:
      return scale(kind, v[0], v[1]);
    case Op::ScaleUnit:
      return scale_unit(kind, v[0], v[1]);
    case Op::Logb:
      return logb(kind, v[0]);
    case Op::Significand:
      return significand(kind, v[0]);
    case Op::FrexpMantissa:
      return frexp_mantissa(kind, v[0]);
    case Op::FrexpExponent:
      return frexp_exponent(kind, v[0]);
    case Op::DivEstimate:
    case Op::SqrtEstimate:
    case Op::RsqrtEstimate:
    case Op::Exp2Estimate:
    case Op::Log2Estimate:
    case Op::SinEstimate:
    case Op::CosEstimate:
    case Op::TanhEstimate:
      return estimate(op, kind, v);
    default:
      return function(op, kind, v);
  }
}

Value* Arithmetic::arithmetic(Op op, ScalarKind kind, Values v) {
  const bool real = is_float(kind);
  switch (op) {
    case Op::Add:
      return real ? b_.CreateFAdd(v[0], v[1]) : b_.CreateAdd(v[0], v[1]);
    case Op::Sub:
      return real ? b_.CreateFSub(v[0], v[1]) : b_.CreateSub(v[0], v[1]);
    case Op::Mul:
      return real ? b_.CreateFMul(v[0], v[1]) : b_.CreateMul(v[0], v[1]);
    case Op::Div:
      return b_.CreateFDiv(v[0], v[1]);
    case Op::Fma:
      return fma(kind, v[0], v[1], v[2]);
    case Op::Neg:
      return real ? b_.CreateFNeg(v[0]) : b_.CreateNeg(v[0]);
    case Op::Abs:
      if (real) return unary(id::fabs, v[0]);
      return is_signed_int(kind) ? binary(id::abs, v[0], b_.getFalse()) : v[0];
    case Op::Min:
      return b_.CreateSelect(compare(Op::Lt, kind, v[1], v[0]), v[1], v[0]);
    case Op::Max:
      return b_.CreateSelect(compare(Op::Gt, kind, v[1], v[0]), v[1], v[0]);
    default:
      CD_UNREACHABLE("not arithmetic");
  }
}

Value* Arithmetic::estimate(Op op, ScalarKind kind, Values v) {
  switch (op) {
    case Op::DivEstimate:
      return b_.CreateFDiv(v[0], v[1]);
    case Op::SqrtEstimate:
      return function(Op::Sqrt, kind, v);
    case Op::RsqrtEstimate:
      return b_.CreateFDiv(number(v[0], 1), function(Op::Sqrt, kind, v));
    case Op::Exp2Estimate:
      return function(Op::Exp2, kind, v);
    case Op::Log2Estimate:
      return function(Op::Log2, kind, v);
    case Op::SinEstimate:
      return function(Op::Sin, kind, v);
    case Op::CosEstimate:
      return function(Op::Cos, kind, v);
    case Op::TanhEstimate:
      return function(Op::Tanh, kind, v);
    default:
      CD_UNREACHABLE("no estimate");
  }
}

Value* Arithmetic::fma(ScalarKind, Value* a, Value* b, Value* c) {
  return b_.CreateIntrinsic(a->getType(), id::fma, {a, b, c});
}

Value* Arithmetic::bitwise(Op op, ScalarKind kind, Values v) {
  // A count of the width's bits or more makes LLVM's shifts poison: it is never the one selected.
  const int bits = bits_of(kind);
  switch (op) {
    case Op::And:
      return b_.CreateAnd(v[0], v[1]);
    case Op::Or:
      return b_.CreateOr(v[0], v[1]);
    case Op::Xor:
      return b_.CreateXor(v[0], v[1]);
    case Op::Not:
      return b_.CreateNot(v[0]);
    case Op::Brev:
      return unary(id::bitreverse, v[0]);
    case Op::Shr:
      if (is_signed_int(kind))
        return b_.CreateAShr(v[0], binary(id::umin, v[1], integer(v[1], bits - 1)));
      [[fallthrough]];
    case Op::Shl: {
      Value* shifted = op == Op::Shl ? b_.CreateShl(v[0], v[1]) : b_.CreateLShr(v[0], v[1]);
      return b_.CreateSelect(b_.CreateICmpULT(v[1], integer(v[1], bits)), shifted,
                             integer(v[0], 0));
    }
    default:
      CD_UNREACHABLE("not bitwise");
  }
}

Value* Arithmetic::compare(Op op, ScalarKind kind, Value* x, Value* y) {
  using P = llvm::CmpInst::Predicate;
  const int column = is_float(kind) ? 0 : is_signed_int(kind) ? 1 : 2;
  static constexpr P kTable[][3] = {
      {P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ},   {P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE},
      {P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT}, {P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE},
      {P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT}, {P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE}};
  static_assert(static_cast<int>(Op::Ge) - static_cast<int>(Op::Eq) == 5);
  return b_.CreateCmp(kTable[static_cast<int>(op) - static_cast<int>(Op::Eq)][column], x, y);
}

Value* Arithmetic::bit_query(Op op, Value* x) {
  Value* count = nullptr;
  if (op == Op::Popc) count = unary(id::ctpop, x);
  if (op == Op::Clz) count = binary(id::ctlz, x, b_.getFalse());
  if (op == Op::Ffs) {
    Value* position = b_.CreateAdd(binary(id::cttz, x, b_.getFalse()), integer(x, 1));
    count = b_.CreateSelect(b_.CreateICmpEQ(x, integer(x, 0)), integer(x, 0), position);
  }
  return b_.CreateZExtOrTrunc(count, lanes(x, ScalarKind::I32));
}

Value* Arithmetic::classify(Op op, Value* x) {
  if (op == Op::IsNan) return b_.CreateFCmpUNO(x, number(x, 0));
  Value* infinity = llvm::ConstantFP::getInfinity(x->getType());
  Value* magnitude = unary(id::fabs, x);
  return op == Op::IsInf ? b_.CreateFCmpOEQ(magnitude, infinity)
                         : b_.CreateFCmpONE(magnitude, infinity);
}

Value* Arithmetic::round_to_integral(Op op, Values v) {
  switch (op) {
    case Op::Floor:
      return unary(id::floor, v[0]);
    case Op::Ceil:
      return unary(id::ceil, v[0]);
    case Op::Trunc:
      return unary(id::trunc, v[0]);
    case Op::Rint:
      return unary(id::roundeven, v[0]);
    case Op::CopySign:
      return binary(id::copysign, v[0], v[1]);
    default:
      CD_UNREACHABLE("not a rounding");
  }
}

// ------------------------------------------------------------------------------------------
// division

Value* Arithmetic::safe_divisor(bool is_signed, Value* x, Value* y) {
  llvm::Type* type = y->getType();
  Value* bad = b_.CreateICmpEQ(y, llvm::Constant::getNullValue(type));
  if (is_signed) {
    const unsigned bits = type->getScalarSizeInBits();
    Value* least = llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits));
    Value* overflow = b_.CreateAnd(b_.CreateICmpEQ(x, least),
                                   b_.CreateICmpEQ(y, llvm::Constant::getAllOnesValue(type)));
    bad = b_.CreateOr(bad, overflow);
  }
  return b_.CreateSelect(bad, llvm::ConstantInt::get(type, 1), y);
}

Value* Arithmetic::safe_div(bool is_signed, Value* x, Value* y) {
  return is_signed ? b_.CreateSDiv(x, y) : b_.CreateUDiv(x, y);
}

Value* Arithmetic::safe_mod(bool is_signed, Value* x, Value* y) {
  return is_signed ? b_.CreateSRem(x, y) : b_.CreateURem(x, y);
}

Value* Arithmetic::floor_div(ScalarKind kind, Value* x, Value* y) {
  const bool is_signed = is_signed_int(kind);
  Value* divisor = safe_divisor(is_signed, x, y);
  Value* quotient = safe_div(is_signed, x, divisor);
  if (is_signed) {
    Value* rest = b_.CreateSub(x, b_.CreateMul(quotient, divisor));
    Value* inexact = b_.CreateICmpNE(rest, integer(rest, 0));
    Value* opposite = b_.CreateICmpSLT(b_.CreateXor(rest, divisor), integer(rest, 0));
    Value* down = b_.CreateAnd(inexact, opposite);
    quotient = b_.CreateAdd(quotient, b_.CreateSExt(down, quotient->getType()));
  }
  return b_.CreateSelect(b_.CreateICmpEQ(y, integer(y, 0)), integer(y, -1), quotient);
}

Value* Arithmetic::floor_mod(ScalarKind kind, Value* x, Value* y) {
  const bool is_signed = is_signed_int(kind);
  Value* divisor = safe_divisor(is_signed, x, y);
  Value* rest = safe_mod(is_signed, x, divisor);
  if (is_signed) {
    Value* inexact = b_.CreateICmpNE(rest, integer(rest, 0));
    Value* opposite = b_.CreateICmpSLT(b_.CreateXor(rest, divisor), integer(rest, 0));
    Value* up = b_.CreateAnd(inexact, opposite);
    rest = b_.CreateAdd(rest, b_.CreateSelect(up, divisor, integer(rest, 0)));
  }
  return b_.CreateSelect(b_.CreateICmpEQ(y, integer(y, 0)), x, rest);
}

}  // namespace cuda_device::codegen
