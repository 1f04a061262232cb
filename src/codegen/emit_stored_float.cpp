// Conversions from and to floats that are only stored, which are their bits in registers: integer
// arithmetic on the fields of a format, for machines without an instruction. What is not exact is
// rounded once, to nearest even. No subnormal float32 matters: these could be zero.
#include <cmath>

#include "codegen/emit_arithmetic.h"
#include "support/check.h"
#include "support/float_format.h"

namespace cuda_device::codegen {

using llvm::Value;

namespace id = llvm::Intrinsic;

namespace {

constexpr const FloatFormat& kWide = format_of(ScalarKind::F32);

const FloatFormat& format_of_stored(StoredFormat stored) {
  const FloatFormat& f = format_of(static_cast<ScalarKind>(stored));
  CD_CHECK(f.significand < kWide.significand && f.exponent <= kWide.exponent,
           "float32 does not hold " + std::string(name_of(static_cast<ScalarKind>(stored))));
  return f;
}

// The exponents of the same number in float32 and in the format differ by this.
int64_t exponent_offset(const FloatFormat& f) { return kWide.bias() - f.bias(); }

int64_t ones(int bits) { return (int64_t{1} << bits) - 1; }

// Magnitudes by their bits.
int64_t infinity_of(const FloatFormat& f) { return ones(f.exponent) << f.fraction(); }
int64_t bits_of_float32(double number) { return float_bits(ScalarKind::F32, number); }
int64_t encoded(const FloatFormat& f, double number) {
  return static_cast<int64_t>(encode(f, number));
}

// Instructions that are made while this lives round as written, in fast-math kernels too.
struct Exactly {
  explicit Exactly(llvm::IRBuilder<>& b) : guard(b) { b.setFastMathFlags({}); }
  llvm::IRBuilder<>::FastMathFlagGuard guard;
};

}  // namespace

// Converts the bits of a format to float32, which holds every number of it.
Value* Arithmetic::widen(StoredFormat from, Value* bits) {
  const Exactly exactly(b_);
  const FloatFormat& f = format_of_stored(from);
  llvm::Type *integers = lanes(bits, ScalarKind::I32), *floats = lanes(bits, ScalarKind::F32);
  Value* x = b_.CreateZExt(bits, integers);
  if (exponent_offset(f) == 0 && f.has_infinity())  // the upper part of a float32
    return b_.CreateBitCast(b_.CreateShl(x, integer(x, 32 - f.bits())), floats);

  const auto constant = [&](int64_t value) { return integer(x, value); };
  Value* magnitude = b_.CreateAnd(x, constant(ones(f.bits() - 1)));
  Value* sign = b_.CreateShl(b_.CreateXor(x, magnitude), constant(32 - f.bits()));
  Value* moved = b_.CreateShl(magnitude, constant(kWide.fraction() - f.fraction()));
  Value* normal = b_.CreateAdd(moved, constant(exponent_offset(f) << kWide.fraction()));
  // The fraction of a subnormal, behind the least normal number's leading one, less that one.
  const double least = std::ldexp(1.0, f.min_exponent());
  Value* behind_one =
      b_.CreateBitCast(b_.CreateOr(moved, constant(bits_of_float32(least))), floats);
  Value* fraction = b_.CreateFSub(behind_one, number(behind_one, least));
  Value* is_normal = b_.CreateICmpUGE(magnitude, constant(int64_t{1} << f.fraction()));
  Value* finite = b_.CreateSelect(is_normal, normal, b_.CreateBitCast(fraction, integers));

  // Infinities and NaNs have every bit of the exponent in float32 too.
  const int64_t special = f.has_infinity() ? infinity_of(f) : encoded(f, NAN);
  Value* of_special = b_.CreateOr(moved, constant(infinity_of(kWide)));
  Value* result =
      b_.CreateSelect(b_.CreateICmpUGE(magnitude, constant(special)), of_special, finite);
  return b_.CreateBitCast(b_.CreateOr(result, sign), floats);
}

// Rounds a float32 to the bits of a format.
Value* Arithmetic::round_float32(StoredFormat to, Value* x) {
  const Exactly exactly(b_);
  const FloatFormat& f = format_of_stored(to);
  Value* bits = b_.CreateBitCast(x, lanes(x, ScalarKind::I32));
  const auto constant = [&](int64_t value) { return integer(bits, value); };
  Value* magnitude = b_.CreateAnd(bits, constant(ones(31)));
  Value* sign = b_.CreateLShr(b_.CreateXor(bits, magnitude), constant(32 - f.bits()));

  // A significand that is rounded up to a power of two carries into the exponent by itself.
  const int dropped = kWide.fraction() - f.fraction();
  Value* odd = b_.CreateAnd(b_.CreateLShr(magnitude, constant(dropped)), constant(1));
  Value* half = b_.CreateAdd(magnitude, constant(ones(dropped - 1)));
  Value* rounded = b_.CreateLShr(b_.CreateAdd(half, odd), constant(dropped));
  Value* result = b_.CreateSub(rounded, constant(exponent_offset(f) << f.fraction()));

  if (exponent_offset(f) != 0) {
    // Added to a number whose last place is that of the format's subnormals, it is rounded there.
    const double least = std::ldexp(1.0, f.min_exponent());
    const double aligned = std::ldexp(least, dropped);
    Value* sum = b_.CreateFAdd(b_.CreateBitCast(magnitude, x->getType()), number(x, aligned));
    Value* subnormal =
        b_.CreateSub(b_.CreateBitCast(sum, bits->getType()), constant(bits_of_float32(aligned)));
    Value* below = b_.CreateICmpULT(magnitude, constant(bits_of_float32(least)));
    result = b_.CreateSelect(below, subnormal, result);
  }
  if (const int64_t most = encoded(f, INFINITY); most != infinity_of(kWide) >> dropped)
    result = binary(id::umin, result, constant(most));
  Value* is_nan = b_.CreateICmpUGT(magnitude, constant(infinity_of(kWide)));
  result = b_.CreateSelect(is_nan, constant(encoded(f, NAN)), result);
  return b_.CreateTrunc(b_.CreateOr(result, sign), lanes(x, static_cast<ScalarKind>(to)));
}

// Rounds a float64 to a float32 so that a second rounding is as if there had been no first one: of
// the two neighbours of what is not exact, the one whose last bit is odd.
Value* Arithmetic::rounded_to_odd(Value* x) {
  const Exactly exactly(b_);
  Value* nearest = b_.CreateFPTrunc(x, lanes(x, ScalarKind::F32));
  Value* back = b_.CreateFPExt(nearest, x->getType());
  Value* bits = b_.CreateBitCast(nearest, lanes(x, ScalarKind::I32));
  Value* away = b_.CreateFCmpOGT(unary(id::fabs, back), unary(id::fabs, x));
  Value* towards_zero = b_.CreateAdd(bits, b_.CreateSExt(away, bits->getType()));
  Value* inexact = b_.CreateZExt(b_.CreateFCmpONE(back, x), bits->getType());
  return b_.CreateBitCast(b_.CreateOr(towards_zero, inexact), nearest->getType());
}

// Replaces the low bits of integers of more than `exact` bits by one that says whether any was set:
// rounded to odd.
Value* Arithmetic::collapse_low_bits(ScalarKind kind, Value* x, int exact, int low) {
  Value* mask = integer(x, ones(low));
  Value* any =
      b_.CreateAnd(b_.CreateAdd(b_.CreateAnd(x, mask), mask), integer(x, int64_t{1} << low));
  Value* collapsed = b_.CreateOr(b_.CreateAnd(x, b_.CreateNot(mask)), any);
  Value* offset = integer(x, is_signed_int(kind) ? int64_t{1} << exact : 0);
  Value* range = integer(x, int64_t{1} << (exact + is_signed_int(kind)));
  Value* is_exact = b_.CreateICmpULT(b_.CreateAdd(x, offset), range);
  return b_.CreateSelect(is_exact, x, collapsed);
}

// A float32 that a format rounds to what it rounds the integer to.
Value* Arithmetic::float32_of_integer(ScalarKind from, const FloatFormat& to, Value* x) {
  constexpr int kExact = kWide.significand;
  if (bits_of(from) - is_signed_int(from) <= kExact) return int_to_float(from, ScalarKind::F32, x);
  if (to.max_exponent() < kExact) {  // what is beyond the bound overflows like the bound
    Value* bound = integer(x, int64_t{1} << (to.max_exponent() + 1));
    x = is_signed_int(from) ? binary(id::smax, binary(id::smin, x, bound), b_.CreateNeg(bound))
                            : binary(id::umin, x, bound);
    Value* small = b_.CreateTrunc(x, lanes(x, ScalarKind::I32));
    return int_to_float(ScalarKind::I32, ScalarKind::F32, small);
  }
  if (bits_of(from) == 32)
    return int_to_float(from, ScalarKind::F32, collapse_low_bits(from, x, kExact, 8));
  return rounded_to_odd(int_to_float(from, ScalarKind::F64, collapse_low_bits(from, x, 48, 24)));
}

// Converts any other format to the bits of this one.
Value* Arithmetic::narrow(ScalarKind from, StoredFormat to, Value* x) {
  const FloatFormat& f = format_of_stored(to);
  if (is_bool(from)) {
    llvm::Type* type = lanes(x, static_cast<ScalarKind>(to));
    return b_.CreateSelect(x, llvm::ConstantInt::getSigned(type, encoded(f, 1), true),
                           llvm::Constant::getNullValue(type));
  }
  if (is_int(from)) return round_float32(to, float32_of_integer(from, f, x));
  switch (compute_format(from)) {
    case ComputeFormat::F32:
      return round_float32(to, x);
    case ComputeFormat::F64:
      return round_float32(to, rounded_to_odd(x));
  }
  CD_UNREACHABLE("unknown float");
}

}  // namespace cuda_device::codegen
