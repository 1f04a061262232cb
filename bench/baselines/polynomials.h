// float32 exp, log and erf, each within 1 ulp on the stated domain
// (check_polynomials.py measures it). Coefficients come from fit_polynomials.py.
#pragma once

#include "simd.h"

namespace cuda_device::bench {

// (exp(r) - 1 - r) / r^2, |r| <= ln(2)/2
inline constexpr float kExp[] = {0.49999994f, 0.166665211f, 0.0416682586f, 0.00836866628f,
                                 0.00138212356f};
// (log(1 + f) - f + f^2/2) / f^3, f in [-1/4, 1/2]
inline constexpr float kLog[] = {0.333334506f, -0.250001103f, 0.199908480f, -0.166468784f,
                                 0.144776300f, -0.131639376f, 0.104725577f, -0.0451523438f};
// erf(x)/x - 1 in x^2, |x| <= 1
inline constexpr float kErfSmall[] = {0.128379166f,   -0.37612626f,  0.112835787f,
                                      -0.0268533472f, 0.0051871622f, -0.00079978531f,
                                      7.80690316e-05f};
// log2(1 - erf(1 + u)), u in [0, 3]: centred where rounding matters most
inline constexpr float kErfLarge[] = {-2.66841674f,   -3.80722547f,  -1.21633208f,
                                      -0.0600384399f, 0.0146014662f, -0.00290641817f,
                                      0.000344083965f};
// (2^r - 1) / r, |r| <= 1/2; enough for erf, which subtracts a small 2^x from 1
inline constexpr float kExp2[] = {0.693147182f,   0.240226507f,  0.0555035956f,
                                  0.00961806253f, 0.0013390989f, 0.000154628782f};

inline constexpr float kLog2E = 1.44269504f;
inline constexpr float kLn2High = 0.693145752f;    // the upper 16 bits of ln(2): products are exact
inline constexpr float kLn2Low = 1.42860677e-06f;  // ln(2) - kLn2High

template <int N>
inline Vec horner(const float (&c)[N], Vec x) {
  Vec y = splat(c[N - 1]);
  for (int k = N - 2; k >= 0; --k) y = fma(y, x, splat(c[k]));
  return y;
}

// e^x for finite |x| < 10^4: overflows to infinity, denormal results are rounded once.
inline Vec exp(Vec x) {
  Vec n = nearest(mul(x, splat(kLog2E)));
  Vec r = fnma(n, splat(kLn2Low), fnma(n, splat(kLn2High), x));
  Vec y = fma(fma(horner(kExp, r), r, splat(1)), r, splat(1));
  return scaled(y, n);
}

// ln(m * 2^e), m in [3/4, 3/2]
inline Vec log(Vec m, Vec e) {
  Vec f = sub(m, splat(1));
  Vec f2 = mul(f, f);
  Vec tail = fma(e, splat(kLn2Low), mul(mul(f2, f), horner(kLog, f)));
  return fma(e, splat(kLn2High), add(f, fnma(f2, splat(0.5f), tail)));
}

#if defined(__AVX512F__)

// ln(x) for every x: -inf at 0, inf at inf, NaN below 0.
inline Vec log(Vec x) {
  Vec m = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
  Vec e = _mm512_getexp_ps(x);
  // getmant halved the mantissas from 1.5 up; their exponent is one more.
  e = _mm512_mask_add_ps(e, less(m, splat(1)), e, splat(1));
  return log(m, e);
}

#else

// ln(x) of positive normal numbers.
inline Vec log_of_normal(Vec x) {
  const Ints bits = _mm256_castps_si256(x);
  Ints e = _mm256_srai_epi32(_mm256_sub_epi32(bits, splat_int(0x3f400000)), 23);  // of x / 0.75
  Vec m = _mm256_castsi256_ps(_mm256_sub_epi32(bits, _mm256_slli_epi32(e, 23)));
  return log(m, _mm256_cvtepi32_ps(e));
}

inline bool all_normal(Vec x) {
  // As unsigned numbers the bits are from 0x00800000 to below 0x7f800000; AVX2 compares signed
  // ones.
  Ints moved = add(_mm256_castps_si256(x), splat_int(0x7f800000));
  return _mm256_movemask_epi8(_mm256_cmpgt_epi32(splat_int(-0x01000000), moved)) == -1;
}

[[gnu::noinline]] inline Vec log_of_any(Vec x) {
  const Vec infinity = splat(__builtin_inff());
  Mask denormal = less(x, splat(0x1p-126f));
  Vec y = log_of_normal(choose(denormal, mul(x, splat(0x1p23f)), x));
  y = choose(denormal, sub(y, splat(15.9423847f)), y);  // 23 ln(2)
  y = choose(less(x, infinity), y, x);                  // infinity and NaN
  y = choose(less(x, splat(0)), splat(__builtin_nanf("")), y);
  return choose(at_most(abs(x), splat(0)), sub(splat(0), infinity), y);
}

// ln(x) for every x: -inf at 0, inf at inf, NaN below 0 and of NaN.
inline Vec log(Vec x) {
  if (!all_normal(x)) [[unlikely]]
    return log_of_any(x);
  return log_of_normal(x);
}

#endif

// 2^x to 2^-23 for |x| <= 1.2
inline Vec coarse_exp2(Vec x) {
  Vec n = nearest(x);
  Vec r = sub(x, n);
  return scaled_normal(fma(horner(kExp2, r), r, splat(1)), n);
}

// erf(x) for every x but NaN. Beyond |x| = 4 it is 1 in float32.
inline Vec erf(Vec x) {
  Vec t = min(abs(x), splat(4));
  Vec small = fma(horner(kErfSmall, mul(x, x)), x, x);
  Vec large = sub(splat(1), coarse_exp2(horner(kErfLarge, sub(t, splat(1)))));
  large = bits_or(large, bits_and(x, splat(-0.0f)));
  return choose(less(t, splat(1)), small, large);
}

}  // namespace cuda_device::bench
