// Operations that take numbers apart into exponent and significand, and put them together.
#include <cmath>

#include "codegen/emit_arithmetic.h"

namespace cuda_device::codegen {

using llvm::Value;

namespace id = llvm::Intrinsic;

namespace {

struct Format {
  int mantissa_bits;
  int bias;
  int64_t exponent_mask;                           // of the exponent field, shifted down
  int scale() const { return mantissa_bits + 2; }  // of normalise, as a power of two
};

// Infinities and NaNs are told apart from numbers: the code here is for formats that have them.
Format layout_of(ScalarKind kind) {
  const FloatFormat& f = format_of(kind);
  CD_CHECK(f.has_infinity(), "no exponents are taken from " + std::string(name_of(kind)));
  return {f.fraction(), f.bias(), (int64_t{1} << f.exponent) - 1};
}

// x times 2**scale where x is subnormal, so that its exponent field can be read; and which lanes
// were.
struct Normal {
  Value* bits;
  Value* subnormal;
  Value* untouched;  // zero, infinity, NaN
};

Normal normalise(llvm::IRBuilder<>& b, const Format& f, Value* x) {
  llvm::Type* type = x->getType();
  llvm::Type* integers = integer_like(type);
  auto real = [&](double v) { return llvm::ConstantFP::get(type, v); };
  Value* magnitude = b.CreateUnaryIntrinsic(id::fabs, x);
  Value* subnormal = b.CreateFCmpOLT(magnitude, real(std::ldexp(1.0, 1 - f.bias)));
  Value* scaled = b.CreateFMul(x, real(std::ldexp(1.0, f.scale())));
  Value* zero = b.CreateFCmpOEQ(x, real(0));
  Value* special = b.CreateFCmpUEQ(magnitude, llvm::ConstantFP::getInfinity(type));
  return {b.CreateBitCast(b.CreateSelect(subnormal, scaled, x), integers), subnormal,
          b.CreateOr(zero, special)};
}

}  // namespace

Value* Arithmetic::logb(ScalarKind kind, Value* x) {
  const Format f = layout_of(kind);
  const Normal n = normalise(b_, f, x);
  Value* field = b_.CreateAnd(b_.CreateLShr(n.bits, integer(n.bits, f.mantissa_bits)),
                              integer(n.bits, f.exponent_mask));
  Value* offset =
      b_.CreateSelect(n.subnormal, integer(n.bits, f.bias + f.scale()), integer(n.bits, f.bias));
  Value* exponent = b_.CreateSIToFP(b_.CreateSub(field, offset), x->getType());
  Value* infinity = llvm::ConstantFP::getInfinity(x->getType());
  Value* zero = b_.CreateFCmpOEQ(x, number(x, 0));
  Value* special = b_.CreateSelect(zero, b_.CreateFNeg(infinity), unary(id::fabs, x));
  return b_.CreateSelect(n.untouched, special, exponent);
}

Value* Arithmetic::significand(ScalarKind kind, Value* x) {
  const Format f = layout_of(kind);
  const Normal n = normalise(b_, f, x);
  const int64_t mantissa = (int64_t{1} << f.mantissa_bits) - 1;
  Value* bits = b_.CreateOr(b_.CreateAnd(n.bits, integer(n.bits, mantissa)),
                            integer(n.bits, int64_t{f.bias} << f.mantissa_bits));
  Value* ordinary = b_.CreateBitCast(bits, x->getType());
  Value* special = binary(id::copysign, number(x, 1), x);  // of zero and infinity
  Value* positive = b_.CreateFCmpOGE(x, number(x, 0));
  return b_.CreateSelect(positive, b_.CreateSelect(n.untouched, special, ordinary),
                         llvm::ConstantFP::getNaN(x->getType()));
}

Value* Arithmetic::frexp_mantissa(ScalarKind kind, Value* x) {
  const Format f = layout_of(kind);
  const Normal n = normalise(b_, f, x);
  const int64_t field = f.exponent_mask << f.mantissa_bits;
  Value* half = b_.CreateOr(b_.CreateAnd(n.bits, integer(n.bits, ~field)),
                            integer(n.bits, int64_t{f.bias - 1} << f.mantissa_bits));
  return b_.CreateSelect(n.untouched, x, b_.CreateBitCast(half, x->getType()));
}

Value* Arithmetic::frexp_exponent(ScalarKind kind, Value* x) {
  const Format f = layout_of(kind);
  const Normal n = normalise(b_, f, x);
  Value* field = b_.CreateAnd(b_.CreateLShr(n.bits, integer(n.bits, f.mantissa_bits)),
                              integer(n.bits, f.exponent_mask));
  Value* offset = b_.CreateSelect(n.subnormal, integer(n.bits, f.bias - 1 + f.scale()),
                                  integer(n.bits, f.bias - 1));
  Value* exponent = b_.CreateSelect(n.untouched, integer(field, 0), b_.CreateSub(field, offset));
  return b_.CreateTrunc(exponent, lanes(x, ScalarKind::I32));
}

namespace {

Value* clamped(llvm::IRBuilder<>& b, Value* e, int64_t low, int64_t high) {
  auto number = [&](int64_t v) {
    return llvm::ConstantInt::getSigned(e->getType(), v, /*ImplicitTrunc=*/true);
  };
  return b.CreateBinaryIntrinsic(id::smin, b.CreateBinaryIntrinsic(id::smax, e, number(low)),
                                 number(high));
}

// 2**e as a float64, for e in [-1022, 1023], from e as int64 lanes.
Value* power_of_two(llvm::IRBuilder<>& b, Value* e) {
  llvm::Type* type = e->getType();
  Value* field = b.CreateAdd(e, llvm::ConstantInt::get(type, 1023));
  return b.CreateBitCast(b.CreateShl(field, llvm::ConstantInt::get(type, 52)),
                         with_lanes_of(type, b.getDoubleTy()));
}

// Exact in float64, then rounded.
Value* ldexp_through_float64(llvm::IRBuilder<>& b, Value* x, Value* e) {
  Value* factor = power_of_two(b, clamped(b, e, -400, 400));
  Value* wide = b.CreateFPExt(x, with_lanes_of(x->getType(), b.getDoubleTy()));
  return b.CreateFPTrunc(b.CreateFMul(wide, factor), x->getType());
}

// A step down by 969 is taken only where 1023 or more remain, so where it is inexact the result is
// zero whatever was rounded.
Value* ldexp_of_float64(llvm::IRBuilder<>& b, Value* x, Value* e) {
  auto number = [&](int64_t v) { return llvm::ConstantInt::getSigned(e->getType(), v); };
  for (int step = 0; step < 2; ++step) {
    Value* far_down = b.CreateICmpSLT(e, number(-1022));
    Value* part = b.CreateSelect(far_down, number(-969), clamped(b, e, -1022, 1023));
    x = b.CreateFMul(x, power_of_two(b, part));
    e = b.CreateSub(e, part);
  }
  return b.CreateFMul(x, power_of_two(b, clamped(b, e, -1022, 1023)));
}

}  // namespace

// Rounded once.
Value* Arithmetic::ldexp(ScalarKind kind, Value* x, Value* exponent) {
  Value* e = b_.CreateSExt(exponent, lanes(x, ScalarKind::I64));
  switch (compute_format(kind)) {
    case ComputeFormat::F32:
      return ldexp_through_float64(b_, x, e);
    case ComputeFormat::F64:
      return ldexp_of_float64(b_, x, e);
  }
  CD_UNREACHABLE("unknown float");
}

// A finite exponent goes through ldexp; an infinite one, or NaN, multiplies. Infinite exponents win
// over a NaN, as in the machine's own instruction (AVX-512).
Value* Arithmetic::scale(ScalarKind kind, Value* x, Value* exponent) {
  llvm::Type* type = x->getType();
  auto number = [&](double v) { return llvm::ConstantFP::get(type, v); };
  Value *zero = number(0.0), *infinity = llvm::ConstantFP::getInfinity(type);
  Value* finite = b_.CreateFCmpOLT(unary(id::fabs, exponent), infinity);
  Value* low = b_.CreateSelect(b_.CreateFCmpOGT(exponent, number(-5000)), exponent, number(-5000));
  Value* bounded = b_.CreateSelect(b_.CreateFCmpOLT(low, number(5000)), low, number(5000));
  Value* whole = b_.CreateFPToSI(unary(id::floor, bounded), lanes(x, ScalarKind::I32));
  Value* factor = b_.CreateSelect(b_.CreateFCmpOLT(exponent, zero), zero, exponent);
  Value* number_or_one = b_.CreateSelect(b_.CreateFCmpORD(x, x), x, number(1));
  return b_.CreateSelect(finite, ldexp(kind, x, whole), b_.CreateFMul(number_or_one, factor));
}

// 2**e as a float32: 0 for e = -127, infinity for e = 128.
static Value* power_of_two_f32(llvm::IRBuilder<>& b, Value* e) {
  llvm::Type* type = e->getType();
  Value* field = b.CreateAdd(e, llvm::ConstantInt::get(type, 127));
  return b.CreateBitCast(b.CreateShl(field, llvm::ConstantInt::get(type, 23)),
                         with_lanes_of(type, b.getFloatTy()));
}

// Scales by half of the exponent at a time. The first product is exact unless the second one is
// zero or infinite whatever was rounded: x is near 1.
static Value* scale_unit_f32(llvm::IRBuilder<>& b, Value* x, Value* exponent) {
  auto number = [&](double v) { return llvm::ConstantFP::get(x->getType(), v); };
  Value* low = b.CreateSelect(b.CreateFCmpOGT(exponent, number(-252)), exponent, number(-252));
  Value* bounded = b.CreateSelect(b.CreateFCmpOLT(low, number(256)), low, number(256));
  Value* whole = b.CreateFPToSI(bounded, with_lanes_of(x->getType(), b.getInt32Ty()));
  Value* half = b.CreateAShr(whole, llvm::ConstantInt::get(whole->getType(), 1));
  Value* product = b.CreateFMul(x, power_of_two_f32(b, half));
  return b.CreateFMul(product, power_of_two_f32(b, b.CreateSub(whole, half)));
}

Value* Arithmetic::scale_unit(ScalarKind kind, Value* x, Value* exponent) {
  switch (compute_format(kind)) {
    case ComputeFormat::F32:
      return scale_unit_f32(b_, x, exponent);
    case ComputeFormat::F64:
      return scale(kind, x, exponent);
  }
  CD_UNREACHABLE("unknown float");
}

}  // namespace cuda_device::codegen
