// What each operation that computes a scalar from scalars gives: op.def's words as C++. Interpreter
// and constant folding both evaluate through it (evaluate.h). Operands have type T unless the
// struct names another: `First`, `Second`. The constraint on T is the set of types the operation is
// for.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "ir/convert.h"
#include "ir/integer_math.h"
#include "ir/ir.h"

namespace cuda_device::ir {

template <Op op>
struct Meaning;  // apply(...); not there for operations that need a thread or memory

#define MEANING(name, constraint, parameters, ...) \
  template <>                                      \
  struct Meaning<Op::name> {                       \
    template <constraint T>                        \
    static auto apply parameters {                 \
      __VA_ARGS__                                  \
    }                                              \
  };

// The same, with what it gives of a float that is only stored. Where that is left out, its numbers
// are computed in a wider float and rounded (evaluate.cpp).
#define MEANING_AND_STORED(name, constraint, parameters, stored, ...) \
  template <>                                                         \
  struct Meaning<Op::name> {                                          \
    template <constraint T>                                           \
    static auto apply parameters {                                    \
      __VA_ARGS__                                                     \
    }                                                                 \
    template <Stored T>                                               \
    static T apply parameters {                                       \
      return stored;                                                  \
    }                                                                 \
  };

template <class T>
concept Bits = std::integral<T>;  // integers and bool
template <class T>
concept Scalar = Bits<T> || Float<T>;
template <class T>
concept Movable = Scalar<T> || Stored<T>;

// --- arithmetic ---

#define INTEGER_OR_FLOAT(name, integer, floating)                                          \
  MEANING(                                                                                 \
      name, Number, (T a, T b), if constexpr (Integer<T>) { return integer(a, b); } else { \
        return static_cast<T>(floating);                                                   \
      })
INTEGER_OR_FLOAT(Add, wrapping_add, a + b)
INTEGER_OR_FLOAT(Sub, wrapping_sub, a - b)
INTEGER_OR_FLOAT(Mul, wrapping_mul, a* b)
#undef INTEGER_OR_FLOAT

MEANING(Div, Float, (T a, T b), return a / b;)
MEANING(FloorDiv, Integer, (T a, T b), return floor_div(a, b);)
MEANING(FloorMod, Integer, (T a, T b), return floor_mod(a, b);)
MEANING_AND_STORED(Fma, Float, (T a, T b, T c),
                   store<T>(fma_to_odd(a.value(), b.value(), c.value())), return std::fma(a, b, c);)
MEANING_AND_STORED(Neg, Number, (T a), T::rounded(a.bits ^ T::kSign),
                   if constexpr (Float<T>) return -a;
                   else return wrapping_sub(T{0}, a);)
MEANING_AND_STORED(Abs, Number, (T a), T::rounded(a.bits & ~T::kSign),
                   if constexpr (Float<T>) return std::fabs(a);
                   else return a < 0 ? wrapping_sub(T{0}, a) : a;)
MEANING_AND_STORED(Min, Number, (T a, T b), b.value() < a.value() ? b : a, return b < a ? b : a;)
MEANING_AND_STORED(Max, Number, (T a, T b), b.value() > a.value() ? b : a, return b > a ? b : a;)

MEANING(And, Bits, (T a, T b), return static_cast<T>(a & b);)
MEANING(Or, Bits, (T a, T b), return static_cast<T>(a | b);)
MEANING(Xor, Bits, (T a, T b), return static_cast<T>(a ^ b);)
MEANING(Not, Bits, (T a), if constexpr (std::same_as<T, bool>) return !a;
        else return static_cast<T>(~a);)
MEANING(Shl, Integer, (T a, T b), return shift_left(a, b);)
MEANING(Shr, Integer, (T a, T b), return shift_right(a, b);)

MEANING(Eq, Scalar, (T a, T b), return a == b;)
MEANING(Ne, Scalar, (T a, T b), return a != b;)
MEANING(Lt, Scalar, (T a, T b), return a < b;)
MEANING(Le, Scalar, (T a, T b), return a <= b;)
MEANING(Gt, Scalar, (T a, T b), return a > b;)
MEANING(Ge, Scalar, (T a, T b), return a >= b;)

template <>
struct Meaning<Op::Select> {
  using First = bool;
  template <Movable T>
  static T apply(bool condition, T a, T b) {
    return condition ? a : b;
  }
};

// Their result is no function of the operand's type: `To` is given.
template <>
struct Meaning<Op::Convert> {
  template <Movable To, Movable T>
  static To apply(T a) {
    return convert<To>(a);
  }
};

template <>
struct Meaning<Op::Bitcast> {
  template <Movable To, Movable T>
    requires(sizeof(To) == sizeof(T) && !std::same_as<To, bool> && !std::same_as<T, bool>)
  static To apply(T a) {
    return std::bit_cast<To>(a);
  }
};

// --- bits ---

MEANING(Popc, Integer, (T a),
        return static_cast<int32_t>(std::popcount(static_cast<std::make_unsigned_t<T>>(a)));)
MEANING(Clz, Integer, (T a),
        return static_cast<int32_t>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a)));)
MEANING(Ffs, Integer, (T a), const auto bits = static_cast<std::make_unsigned_t<T>>(a);
        return static_cast<int32_t>(bits == 0 ? 0 : std::countr_zero(bits) + 1);)
MEANING(Brev, Integer, (T a), return reverse_bits(a);)

// --- floating point functions, exact ---

MEANING(Sqrt, Float, (T a), return std::sqrt(a);)
MEANING(Floor, Float, (T a), return std::floor(a);)
MEANING(Ceil, Float, (T a), return std::ceil(a);)
MEANING(Trunc, Float, (T a), return std::trunc(a);)
MEANING(Rint, Float, (T a), return std::nearbyint(a);)
MEANING_AND_STORED(CopySign, Float, (T a, T b),
                   T::rounded((a.bits & ~T::kSign) | (b.bits & T::kSign)),
                   return std::copysign(a, b);)
MEANING(IsNan, Float, (T a), return std::isnan(a);)
MEANING(IsInf, Float, (T a), return std::isinf(a);)
MEANING(IsFinite, Float, (T a), return std::isfinite(a);)
MEANING(Fmod, Float, (T a, T b), return std::fmod(a, b);)
MEANING(Remainder, Float, (T a, T b), return std::remainder(a, b);)

// --- floating point functions, within some ulp on the targets ---

// A float32 function is computed in float64 and rounded once: nearer to the truth than any float32
// library.
#define FUNCTION(name, function) \
  MEANING(name, Float, (T a), return static_cast<T>(function(static_cast<double>(a)));)
#define FUNCTION2(name, function)  \
  MEANING(name, Float, (T a, T b), \
          return static_cast<T>(function(static_cast<double>(a), static_cast<double>(b)));)

// std::lgamma writes the global signgam: a race between threads.
inline double log_abs_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

FUNCTION(Exp, std::exp)
FUNCTION(Exp2, std::exp2)
FUNCTION(Expm1, std::expm1)
FUNCTION(Log, std::log)
FUNCTION(Log2, std::log2)
FUNCTION(Log10, std::log10)
FUNCTION(Log1p, std::log1p)
FUNCTION(Sin, std::sin)
FUNCTION(Cos, std::cos)
FUNCTION(Tan, std::tan)
FUNCTION(Asin, std::asin)
FUNCTION(Acos, std::acos)
FUNCTION(Atan, std::atan)
FUNCTION2(Atan2, std::atan2)
FUNCTION(Sinh, std::sinh)
FUNCTION(Cosh, std::cosh)
FUNCTION(Tanh, std::tanh)
FUNCTION(Asinh, std::asinh)
FUNCTION(Acosh, std::acosh)
FUNCTION(Atanh, std::atanh)
FUNCTION2(Pow, std::pow)
FUNCTION2(Hypot, std::hypot)
// The C library's float64 one is off by several ulp.
MEANING(Cbrt, Float, (T a), return static_cast<T>(std::cbrt(static_cast<long double>(a)));)
FUNCTION(Erf, std::erf)
FUNCTION(Erfc, std::erfc)
FUNCTION(Tgamma, std::tgamma)
FUNCTION(Lgamma, log_abs_gamma)

// The truth that targets estimate.
MEANING(DivEstimate, Float, (T a, T b), return a / b;)
MEANING(SqrtEstimate, Float, (T a), return std::sqrt(a);)
FUNCTION(RsqrtEstimate, 1 / std::sqrt)
FUNCTION(Exp2Estimate, std::exp2)
FUNCTION(Log2Estimate, std::log2)
FUNCTION(SinEstimate, std::sin)
FUNCTION(CosEstimate, std::cos)
FUNCTION(TanhEstimate, std::tanh)
#undef FUNCTION
#undef FUNCTION2

template <>
struct Meaning<Op::Ldexp> {
  using Second = int32_t;
  template <Float T>
  static T apply(T a, int32_t exponent) {
    return std::ldexp(a, exponent);
  }
};

MEANING(Scale, Float, (T a, T n), if (std::isnan(n)) return n;
        if (std::isinf(n)) return (std::isnan(a) ? T(1) : a) * (n > 0 ? n : T(0));
        const T bounded = std::min(std::max(std::floor(n), T(-5000)), T(5000));
        return std::ldexp(a, static_cast<int>(bounded));)

MEANING(ScaleUnit, Float, (T a, T n), return Meaning<Op::Scale>::apply(a, n);)

MEANING(Logb, Float, (T a), return std::logb(a);)
MEANING(Significand, Float, (T a),
        if (std::isnan(a) || a < 0) return std::numeric_limits<T>::quiet_NaN();
        if (a == 0 || std::isinf(a)) return std::copysign(T(1), a); int exponent = 0;
        const T half = std::frexp(a, &exponent); return 2 * half;)

template <class T>
bool has_exponent(T x) {
  return std::isfinite(x) && x != 0;
}
MEANING(FrexpMantissa, Float, (T a), int exponent = 0;
        return has_exponent(a) ? std::frexp(a, &exponent) : a;)
MEANING(
    FrexpExponent, Float, (T a), int32_t exponent = 0;
    if (has_exponent(a)) { static_cast<void>(std::frexp(a, &exponent)); } return exponent;)

// --- arrays ---

template <>
struct Meaning<Op::Wrap> {
  using Second = int64_t;
  template <Integer T>
  static int64_t apply(T index, int64_t extent) {
    const auto wide = static_cast<int64_t>(index);
    return index < 0 ? wrapping_add(wide, extent) : wide;
  }
};

#undef MEANING
#undef MEANING_AND_STORED

}  // namespace cuda_device::ir
