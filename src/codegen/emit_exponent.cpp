// Operations that take numbers apart into exponent and significand, and put them together.
#include "codegen/emit_arithmetic.h"

namespace cuda_device::codegen {

namespace id = llvm::Intrinsic;

namespace {

struct Format {
  int mantissa_bits;
  int bias;
  int64_t exponent_mask;                           // of the exponent field, shifted down
  int scale() const { return mantissa_bits + 2; }  // of normalise, as a power of two
};

constexpr Format format_of(ScalarKind kind) {
  return kind == ScalarKind::F32 ? Format{23, 127, 0xff} : Format{52, 1023, 0x7ff};
}

// x times 2**scale where x is subnormal, so that its exponent field can be read; and which lanes
// were.
struct Normal {
  llvm::Value* bits;
  llvm::Value* subnormal;
  llvm::Value* untouched;  // zero, infinity, NaN
};

Normal normalise(llvm::IRBuilder<>& b, const Format& f, llvm::Value* x) {
  llvm::Type* type = x->getType();
  llvm::Type* integers = integer_like(type);
  auto real = [&](double v) { return llvm::ConstantFP::get(type, v); };
  llvm::Value* magnitude = b.CreateUnaryIntrinsic(id::fabs, x);
  llvm::Value* subnormal = b.CreateFCmpOLT(magnitude, real(f.bias == 127 ? 0x1p-126 : 0x1p-1022));
  llvm::Value* scaled = b.CreateFMul(x, real(f.bias == 127 ? 0x1p25 : 0x1p54));
  llvm::Value* zero = b.CreateFCmpOEQ(x, real(0));
  llvm::Value* special = b.CreateFCmpUEQ(magnitude, llvm::ConstantFP::getInfinity(type));
  return {b.CreateBitCast(b.CreateSelect(subnormal, scaled, x), integers), subnormal,
          b.CreateOr(zero, special)};
}

}  // namespace

llvm::Value* Arithmetic::logb(ScalarKind kind, Value x) {
  const Format f = format_of(kind);
  const Normal n = normalise(b_, f, x);
  Value field = b_.CreateAnd(b_.CreateLShr(n.bits, integer(n.bits, f.mantissa_bits)),
                             integer(n.bits, f.exponent_mask));
  Value offset =
      b_.CreateSelect(n.subnormal, integer(n.bits, f.bias + f.scale()), integer(n.bits, f.bias));
  Value exponent = b_.CreateSIToFP(b_.CreateSub(field, offset), x->getType());
  Value infinity = llvm::ConstantFP::getInfinity(x->getType());
  Value zero = b_.CreateFCmpOEQ(x, number(x, 0));
  Value special = b_.CreateSelect(zero, b_.CreateFNeg(infinity), unary(id::fabs, x));
  return b_.CreateSelect(n.untouched, special, exponent);
}

llvm::Value* Arithmetic::significand(ScalarKind kind, Value x) {
  const Format f = format_of(kind);
  const Normal n = normalise(b_, f, x);
  const int64_t mantissa = (int64_t{1} << f.mantissa_bits) - 1;
  Value bits = b_.CreateOr(b_.CreateAnd(n.bits, integer(n.bits, mantissa)),
                           integer(n.bits, int64_t{f.bias} << f.mantissa_bits));
  Value ordinary = b_.CreateBitCast(bits, x->getType());
  Value special = binary(id::copysign, number(x, 1), x);  // of zero and infinity
  Value positive = b_.CreateFCmpOGE(x, number(x, 0));
  return b_.CreateSelect(positive, b_.CreateSelect(n.untouched, special, ordinary),
                         llvm::ConstantFP::getNaN(x->getType()));
}

llvm::Value* Arithmetic::frexp_mantissa(ScalarKind kind, Value x) {
  const Format f = format_of(kind);
  const Normal n = normalise(b_, f, x);
  const int64_t field = f.exponent_mask << f.mantissa_bits;
  Value half = b_.CreateOr(b_.CreateAnd(n.bits, integer(n.bits, ~field)),
                           integer(n.bits, int64_t{f.bias - 1} << f.mantissa_bits));
  return b_.CreateSelect(n.untouched, x, b_.CreateBitCast(half, x->getType()));
}

llvm::Value* Arithmetic::frexp_exponent(ScalarKind kind, Value x) {
  const Format f = format_of(kind);
  const Normal n = normalise(b_, f, x);
  Value field = b_.CreateAnd(b_.CreateLShr(n.bits, integer(n.bits, f.mantissa_bits)),
                             integer(n.bits, f.exponent_mask));
  Value offset = b_.CreateSelect(n.subnormal, integer(n.bits, f.bias - 1 + f.scale()),
                                 integer(n.bits, f.bias - 1));
  Value exponent = b_.CreateSelect(n.untouched, integer(field, 0), b_.CreateSub(field, offset));
  return b_.CreateTrunc(exponent, lanes(x, ScalarKind::I32));
}

// 2**e as a float64, for e in [-1022, 1023], from e as int64 lanes.
static llvm::Value* power_of_two(llvm::IRBuilder<>& b, llvm::Value* e) {
  llvm::Type* type = e->getType();
  llvm::Value* field = b.CreateAdd(e, llvm::ConstantInt::get(type, 1023));
  return b.CreateBitCast(b.CreateShl(field, llvm::ConstantInt::get(type, 52)),
                         with_lanes_of(type, b.getDoubleTy()));
}

// Rounded once. float32: exact in float64, then rounded. float64: a step down by 969 is taken only
// where 1023 or more remain, so where it is inexact the result is zero whatever was rounded.
llvm::Value* Arithmetic::ldexp(ScalarKind kind, Value x, Value exponent) {
  Value e = b_.CreateSExt(exponent, lanes(x, ScalarKind::I64));
  auto clamp = [&](Value v, int64_t lo, int64_t hi) {
    return binary(id::smin, binary(id::smax, v, integer(v, lo)), integer(v, hi));
  };
  if (kind == ScalarKind::F32) {
    Value factor = power_of_two(b_, clamp(e, -400, 400));
    Value wide = b_.CreateFPExt(x, lanes(x, ScalarKind::F64));
    return b_.CreateFPTrunc(b_.CreateFMul(wide, factor), x->getType());
  }
  Value result = x;
  for (int step = 0; step < 2; ++step) {
    Value far_down = b_.CreateICmpSLT(e, integer(e, -1022));
    Value part = b_.CreateSelect(far_down, integer(e, -969), clamp(e, -1022, 1023));
    result = b_.CreateFMul(result, power_of_two(b_, part));
    e = b_.CreateSub(e, part);
  }
  return b_.CreateFMul(result, power_of_two(b_, clamp(e, -1022, 1023)));
}

// A finite exponent goes through ldexp; an infinite one, or NaN, multiplies. Infinite exponents win
// over a NaN, as in the machine's own instruction (AVX-512).
llvm::Value* Arithmetic::scale(ScalarKind kind, Value x, Value exponent) {
  llvm::Type* type = x->getType();
  auto number = [&](double v) { return llvm::ConstantFP::get(type, v); };
  Value zero = number(0.0), infinity = llvm::ConstantFP::getInfinity(type);
  Value finite = b_.CreateFCmpOLT(unary(id::fabs, exponent), infinity);
  Value low = b_.CreateSelect(b_.CreateFCmpOGT(exponent, number(-5000)), exponent, number(-5000));
  Value bounded = b_.CreateSelect(b_.CreateFCmpOLT(low, number(5000)), low, number(5000));
  Value whole = b_.CreateFPToSI(unary(id::floor, bounded), lanes(x, ScalarKind::I32));
  Value factor = b_.CreateSelect(b_.CreateFCmpOLT(exponent, zero), zero, exponent);
  Value number_or_one = b_.CreateSelect(b_.CreateFCmpORD(x, x), x, number(1));
  return b_.CreateSelect(finite, ldexp(kind, x, whole), b_.CreateFMul(number_or_one, factor));
}

// 2**e as a float32: 0 for e = -127, infinity for e = 128.
static llvm::Value* power_of_two_f32(llvm::IRBuilder<>& b, llvm::Value* e) {
  llvm::Type* type = e->getType();
  llvm::Value* field = b.CreateAdd(e, llvm::ConstantInt::get(type, 127));
  return b.CreateBitCast(b.CreateShl(field, llvm::ConstantInt::get(type, 23)),
                         with_lanes_of(type, b.getFloatTy()));
}

// By half of the exponent at a time. The first product is exact unless the second one is zero or
// infinite whatever was rounded: x is near 1.
llvm::Value* Arithmetic::scale_unit(ScalarKind kind, Value x, Value exponent) {
  if (kind != ScalarKind::F32) return scale(kind, x, exponent);
  auto number = [&](double v) { return llvm::ConstantFP::get(x->getType(), v); };
  Value low = b_.CreateSelect(b_.CreateFCmpOGT(exponent, number(-252)), exponent, number(-252));
  Value bounded = b_.CreateSelect(b_.CreateFCmpOLT(low, number(256)), low, number(256));
  Value whole = b_.CreateFPToSI(bounded, lanes(x, ScalarKind::I32));
  Value half = b_.CreateAShr(whole, integer(whole, 1));
  Value product = b_.CreateFMul(x, power_of_two_f32(b_, half));
  return b_.CreateFMul(product, power_of_two_f32(b_, b_.CreateSub(whole, half)));
}

}  // namespace cuda_device::codegen
