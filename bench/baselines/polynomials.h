// float32 exp, log and erf on 16 lanes, each within 1 ulp on the stated domain
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
  Vec n = _mm512_roundscale_ps(mul(x, splat(kLog2E)), _MM_FROUND_TO_NEAREST_INT);
  Vec r = fnma(n, splat(kLn2Low), fnma(n, splat(kLn2High), x));
  Vec y = fma(fma(horner(kExp, r), r, splat(1)), r, splat(1));
  return _mm512_scalef_ps(y, n);
}

// ln(x) for every x: -inf at 0, inf at inf, NaN below 0.
inline Vec log(Vec x) {
  Vec m = _mm512_getmant_ps(x, _MM_MANT_NORM_p75_1p5, _MM_MANT_SIGN_nan);
  Vec e = _mm512_getexp_ps(x);
  // getmant halved the mantissas from 1.5 up; their exponent is one more.
  e = _mm512_mask_add_ps(e, _mm512_cmp_ps_mask(m, splat(1), _CMP_LT_OQ), e, splat(1));
  Vec f = sub(m, splat(1));
  Vec f2 = mul(f, f);
  Vec tail = fma(e, splat(kLn2Low), mul(mul(f2, f), horner(kLog, f)));
  return fma(e, splat(kLn2High), add(f, fnma(f2, splat(0.5f), tail)));
}

// 2^x to 2^-23 for |x| <= 1.2
inline Vec coarse_exp2(Vec x) {
  Vec n = _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT);
  Vec r = sub(x, n);
  return _mm512_scalef_ps(fma(horner(kExp2, r), r, splat(1)), n);
}

// erf(x) for every x but NaN. Beyond |x| = 4 it is 1 in float32.
inline Vec erf(Vec x) {
  Vec t = _mm512_min_ps(_mm512_abs_ps(x), splat(4));
  Vec small = fma(horner(kErfSmall, mul(x, x)), x, x);
  Vec large = sub(splat(1), coarse_exp2(horner(kErfLarge, sub(t, splat(1)))));
  large = _mm512_or_ps(large, _mm512_and_ps(x, splat(-0.0f)));
  return _mm512_mask_mov_ps(large, _mm512_cmp_ps_mask(t, splat(1), _CMP_LT_OQ), small);
}

}  // namespace cuda_device::bench
