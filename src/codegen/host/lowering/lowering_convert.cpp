// float → integer that saturates and takes NaN to 0. LLVM's own (fptosi.sat) is long at a vector of
// lanes, and its plain conversion is poison out of range: so only what is in range is converted, in
// every lane.
#include <cmath>

#include "codegen/host/lowering/host_arithmetic.h"

namespace cuda_device::codegen::host {

using llvm::Value;
namespace id = llvm::Intrinsic;

Value* HostArithmetic::float_to_int(ScalarKind from, ScalarKind to, Value* x) {
  if (!x->getType()->isVectorTy()) return Arithmetic::float_to_int(from, to, x);
  const bool exact_bounds =
      bits_of(to) <= significand_bits(from) && bits_of(to) <= format_of(from).max_exponent();
  if (exact_bounds) return saturate_by_bounds(to, x);
  return is_signed_int(to) ? saturate_signed(to, x) : saturate_unsigned(to, x);
}

// Both bounds are numbers of the source's format: clamp, then convert.
Value* HostArithmetic::saturate_by_bounds(ScalarKind to, Value* x) {
  const int bits = bits_of(to);
  const bool is_signed = is_signed_int(to);
  const double highest = static_cast<double>((uint64_t{1} << (is_signed ? bits - 1 : bits)) - 1);
  if (is_signed) {
    x = b_.CreateSelect(b_.CreateFCmpORD(x, x), x, number(x, 0));
    Value* lowest = number(x, -highest - 1);
    x = b_.CreateSelect(b_.CreateFCmpOGT(x, lowest), x, lowest);
  } else {
    x = b_.CreateSelect(b_.CreateFCmpOGT(x, number(x, 0)), x,
                        number(x, 0));  // a NaN is not greater
  }
  Value* bound = number(x, highest);
  x = b_.CreateSelect(b_.CreateFCmpOLT(x, bound), x, bound);
  if (bits < 32) return b_.CreateTrunc(b_.CreateFPToSI(x, lanes(x, ScalarKind::I32)), lanes(x, to));
  return is_signed ? b_.CreateFPToSI(x, lanes(x, to)) : b_.CreateFPToUI(x, lanes(x, to));
}

// As wide as the format's exponents allow: the lanes in range are converted, the others take the
// bound of their sign. The least integer is outside, and is what its lanes take.
Value* HostArithmetic::saturate_signed(ScalarKind to, Value* x) {
  const int bits = bits_of(to);
  Value* limit = number(x, std::ldexp(1.0, bits - 1));
  Value* inside = b_.CreateFCmpOLT(unary(id::fabs, x), limit);
  Value* converted = b_.CreateFPToSI(b_.CreateSelect(inside, x, number(x, 0)), lanes(x, to));
  Value* most = llvm::ConstantInt::get(converted->getType(),
                                       llvm::APInt::getSignedMaxValue(static_cast<unsigned>(bits)));
  Value* least = b_.CreateNot(most);
  Value* bound = b_.CreateSelect(b_.CreateFCmpOGT(x, number(x, 0)), most, least);
  Value* outside = b_.CreateSelect(b_.CreateFCmpORD(x, x), bound, integer(bound, 0));
  return b_.CreateSelect(inside, converted, outside);
}

Value* HostArithmetic::saturate_unsigned(ScalarKind to, Value* x) {
  x = b_.CreateSelect(b_.CreateFCmpOGT(x, number(x, 0)), x, number(x, 0));
  Value* inside = b_.CreateFCmpOLT(x, number(x, std::ldexp(1.0, bits_of(to))));
  Value* converted = b_.CreateFPToUI(b_.CreateSelect(inside, x, number(x, 0)), lanes(x, to));
  return b_.CreateSelect(inside, converted, integer(converted, -1));
}

// ------------------------------------------------------------------------------------------
// Floats that are only stored: float16 by instructions where there are any. bfloat16 by the one of
// AVX-512 would make subnormal numbers zero.

Value* HostArithmetic::widen(StoredFormat from, Value* bits) {
  if (!target_.info().float16_conversions) return Arithmetic::widen(from, bits);
  if (from == StoredFormat::E5M2) {  // the upper half of a float16
    Value* wide = b_.CreateZExt(bits, lanes(bits, ScalarKind::F16));
    return widen(StoredFormat::F16, b_.CreateShl(wide, integer(wide, 8)));
  }
  if (from != StoredFormat::F16) return Arithmetic::widen(from, bits);
  Value* half = b_.CreateBitCast(bits, with_lanes_of(bits->getType(), b_.getHalfTy()));
  return b_.CreateFPExt(half, lanes(bits, ScalarKind::F32));
}

Value* HostArithmetic::round_float32(StoredFormat to, Value* x) {
  if (to != StoredFormat::F16 || !target_.info().float16_conversions)
    return Arithmetic::round_float32(to, x);
  // LLVM would round the parts of a scalar copysign apart, a float64 that gives the sign by a
  // function that images do not have.
  if (!x->getType()->isVectorTy()) x = b_.CreateArithmeticFence(x, x->getType());
  Value* half = b_.CreateFPTrunc(x, with_lanes_of(x->getType(), b_.getHalfTy()));
  return b_.CreateBitCast(half, lanes(x, ScalarKind::F16));
}

}  // namespace cuda_device::codegen::host
