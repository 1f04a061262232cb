// The hot float32 functions, written once over an "emitter" E: the pass expand_math instantiates
// them to build IR, the test instantiates them over plain floats and runs every float32 there is.
// Each is within 1 ulp (docs/math.md).
//
// E has value types F (float32), D (float64), I (int32), B (bool) and the operations used below,
// all with the IR's meaning. Polynomials are minimax fits (scripts/fit_math.py); coefficients are
// given lowest order first.
#pragma once

#include <initializer_list>
#include <iterator>

namespace cuda_device::passes::math {

// Horner's rule with one rounding a step. `more` are the coefficients below the leading one.
template <class E>
auto polynomial(E& e, typename E::F x, std::initializer_list<float> coefficients) {
  auto at = std::rbegin(coefficients);
  typename E::F sum = e.f(*at);
  for (++at; at != std::rend(coefficients); ++at) sum = e.fma(sum, x, e.f(*at));
  return sum;
}

// x = n*log(2) + r, |r| <= log(2)/2, for |x| <= 110: the first product is exact.
template <class E>
struct Reduced {
  typename E::F n, r;
};
template <class E>
Reduced<E> reduce_by_log2(E& e, typename E::F x) {
  auto n = e.rint(e.mul(x, e.f(0x1.715476p+0f)));
  return {n, e.fma(n, e.f(-0x1.7f7d1cp-20f), e.fma(n, e.f(-0x1.62e400p-1f), x))};
}

// e**r * 2**n, as 1 + (1 + r*q(r))*r: the last two steps are all that rounding sees.
template <class E>
auto exp_of_reduced(E& e, const Reduced<E>& x) {
  auto q =
      polynomial(e, x.r, {0x1p-1f, 0x1.55549p-3f, 0x1.5554cep-5f, 0x1.123ac4p-7f, 0x1.6d6aaap-10f});
  auto one = e.f(1.0f);
  return e.scale_unit(e.fma(e.fma(q, x.r, one), x.r, one), x.n);
}

// Beyond these bounds the result is 0 or infinity and stays so; within them the reduction is exact
// enough.
template <class E>
auto clamp(E& e, typename E::F x, float low, float high) {
  return e.max(e.min(x, e.f(high)), e.f(low));
}

template <class E>
auto exp(E& e, typename E::F x0) {
  return exp_of_reduced(e, reduce_by_log2(e, clamp(e, x0, -110.0f, 90.0f)));
}

// (2**r - 1) / r, |r| <= 1/2.
template <class E>
auto exp2_slope(E& e, typename E::F r) {
  return polynomial(e, r,
                    {0x1.62e430p-1f, 0x1.ebfbe0p-3f, 0x1.c6af78p-5f, 0x1.3b2a32p-7f,
                     0x1.5f0aa6p-10f, 0x1.443cf2p-13f});
}

// 2**x for |x| <= 160.
template <class E>
auto exp2_bounded(E& e, typename E::F x) {
  auto n = e.rint(x);
  auto r = e.sub(x, n);
  return e.scale_unit(e.fma(r, exp2_slope(e, r), e.f(1.0f)), n);
}

template <class E>
auto exp2(E& e, typename E::F x) {
  return exp2_bounded(e, clamp(e, x, -160.0f, 130.0f));
}

// x = 2**k * (1 + f), 1 + f in [sqrt(1/2), sqrt(2)), subnormals too. Of 0 and infinity f is 0 or -2
// and k infinite, so that k times a positive number is their logarithm; of negative numbers and NaN
// f is NaN.
template <class E>
struct Split {
  typename E::F k, f;
};
template <class E>
Split<E> split_near_one(E& e, typename E::F x) {
  auto m = e.significand(x);
  auto k = e.logb(x);
  auto large = e.lt(e.f(0x1.6a09e6p+0f), m);
  auto near = e.select(large, e.mul(m, e.f(0.5f)), m);
  return {e.select(large, e.add(k, e.f(1.0f)), k), e.sub(near, e.f(1.0f))};
}

template <class E>
auto log(E& e, typename E::F x) {
  auto [k, f] = split_near_one(e, x);
  auto p = polynomial(e, f,
                      {0x1.555554p-2f, -0x1.000226p-2f, 0x1.99a01cp-3f, -0x1.54728ap-3f,
                       0x1.22d930p-3f, -0x1.0d8246p-3f, 0x1.055eaep-3f, -0x1.38c974p-4f});
  auto ff = e.mul(f, f);
  auto tail = e.fma(e.mul(ff, f), p, e.mul(k, e.f(0x1.efa39ep-25f)));
  auto low = e.fma(e.f(-0.5f), ff, tail);
  return e.fma(k, e.f(0x1.62e42ep-1f), e.add(f, low));
}

template <class E>
auto log2(E& e, typename E::F x) {
  auto [k, f] = split_near_one(e, x);
  auto p =
      polynomial(e, f,
                 {-0x1.715470p-1f, 0x1.ec7092p-2f, -0x1.715aeep-2f, 0x1.277fe2p-2f, -0x1.eaa98ap-3f,
                  0x1.a2b5dcp-3f, -0x1.878f56p-3f, 0x1.7f6b68p-3f, -0x1.c67f74p-4f});
  // f / log(2) in two parts: the product with the high one is rounded only with the sum.
  auto low = e.fma(e.mul(f, f), p, e.mul(f, e.f(0x1.4ae0c0p-26f)));
  return e.add(k, e.fma(f, e.f(0x1.715476p+0f), low));
}

// x = n * pi/2 + (hi + lo), |hi| <= pi/4, for |x| <= kTrigLimit. The first step is exact (its
// constant has 21 bits).
inline constexpr float kTrigLimit = 1e5f;
template <class E>
struct Angle {
  typename E::F hi, lo;
  typename E::I quadrant;
};
template <class E>
Angle<E> reduce_by_half_pi(E& e, typename E::F x) {
  auto n = e.rint(e.mul(x, e.f(0x1.45f306p-1f)));
  auto m = e.neg(n);
  auto r1 = e.fma(m, e.f(0x1.921fb0p+0f), x);
  auto step = e.mul(m, e.f(0x1.5110b4p-22f));
  auto step_lost = e.fma(m, e.f(0x1.5110b4p-22f), e.neg(step));
  // Knuth's two-sum: hi + sum_lost is r1 + step exactly, whichever is larger.
  auto hi = e.add(r1, step);
  auto back = e.sub(hi, r1);
  auto sum_lost = e.add(e.sub(r1, e.sub(hi, back)), e.sub(step, back));
  auto lo = e.fma(m, e.f(0x1.846988p-48f), e.add(sum_lost, step_lost));
  return {hi, lo, e.to_int(n)};
}

template <class E>
auto sin_reduced(E& e, const Angle<E>& a) {
  auto rr = e.mul(a.hi, a.hi);
  auto p = polynomial(e, rr, {-0x1.555556p-3f, 0x1.111176p-7f, -0x1.a05ba8p-13f, 0x1.7ccf12p-19f});
  return e.add(a.hi, e.fma(e.mul(rr, a.hi), p, a.lo));
}

template <class E>
auto cos_reduced(E& e, const Angle<E>& a) {
  auto rr = e.mul(a.hi, a.hi);
  auto p = polynomial(e, rr, {0x1.555556p-5f, -0x1.6c1762p-10f, 0x1.a075d6p-16f, -0x1.371b94p-22f});
  auto half = e.mul(e.f(0.5f), rr);
  auto head = e.sub(e.f(1.0f), half);
  auto lost = e.sub(e.sub(e.f(1.0f), head), half);
  auto low = e.fma(e.neg(a.hi), a.lo, lost);
  return e.add(head, e.fma(e.mul(rr, rr), p, low));
}

// sin (quarter = 0) or cos (quarter = 1) of x, |x| <= kTrigLimit.
template <class E>
auto sin_or_cos(E& e, typename E::F x, int quarter) {
  auto a = reduce_by_half_pi(e, x);
  auto q = e.iadd(a.quadrant, e.i(quarter));
  auto odd = e.ne(e.iand(q, e.i(1)), e.i(0));
  auto value = e.select(odd, cos_reduced(e, a), sin_reduced(e, a));
  auto sign = e.shl(e.iand(q, e.i(2)), 30);
  return e.from_bits(e.ixor(e.bits(value), sign));
}

// sin keeps the sign of zero; the sum above would lose it.
template <class E>
auto sin(E& e, typename E::F x) {
  return e.select(e.eq(x, e.f(0.0f)), x, sin_or_cos(e, x, 0));
}
template <class E>
auto cos(E& e, typename E::F x) {
  return sin_or_cos(e, x, 1);
}

template <class E>
auto tanh(E& e, typename E::F x) {
  auto a = e.abs(x);
  auto aa = e.mul(a, a);
  auto p = polynomial(e, aa,
                      {-0x1.555554p-2f, 0x1.1110aep-3f, -0x1.ba07f2p-5f, 0x1.655aeep-6f,
                       -0x1.1bc354p-7f, 0x1.9ecb04p-9f, -0x1.d7dc6cp-11f, 0x1.20ab66p-13f});
  auto small = e.fma(e.mul(aa, a), p, a);
  // tanh is 1 in float32 from 9.01 on; min keeps a NaN in its first operand.
  auto two_a = e.min(e.add(a, a), e.f(20.0f));
  auto grown = exp_of_reduced(e, reduce_by_log2(e, two_a));
  auto large = e.sub(e.f(1.0f), e.div(e.f(2.0f), e.add(grown, e.f(1.0f))));
  return e.copysign(e.select(e.lt(a, e.f(0.9f)), small, large), x);
}

template <class E>
auto erf(E& e, typename E::F x) {
  auto a = e.abs(x);
  auto aa = e.mul(a, a);
  auto q = polynomial(e, aa,
                      {0x1.06eba8p-3f, -0x1.812740p-2f, 0x1.ce2d50p-4f, -0x1.b7fe90p-6f,
                       0x1.542e10p-8f, -0x1.a50b0ep-11f, 0x1.4c344ep-14f});
  auto small = e.fma(a, q, a);
  // 1 - 2**p(a - 1); erf is 1 in float32 from 3.92 on.
  auto u = e.sub(e.min(a, e.f(3.95f)), e.f(1.0f));
  auto p = polynomial(e, u,
                      {-0x1.558eaep+1f, -0x1.e7532ap+1f, -0x1.3761aap+0f, -0x1.ebb4c8p-5f,
                       0x1.dd2ed0p-7f, -0x1.782c32p-9f, 0x1.5d1658p-12f});
  auto large = e.sub(e.f(1.0f), exp2_bounded(e, p));
  return e.copysign(e.select(e.lt(a, e.f(1.0f)), small, large), x);
}

// log2 of a positive finite float32, in float64 to 2**-37: enough for the 8 integer bits that pow's
// product adds.
template <class E>
auto log2_wide(E& e, typename E::F x) {
  auto [k, f] = split_near_one(e, x);
  constexpr double kP[] = {0x1.71547652b61e4p+0,  -0x1.7154765195acep-1, 0x1.ec709ddd1a970p-2,
                           -0x1.715478c1527dfp-2, 0x1.2776b9a788f8cp-2,  -0x1.ec6f149664a6bp-3,
                           0x1.a61a7ad2b45b6p-3,  -0x1.718ad5a4ea35cp-3, 0x1.48351d7970404p-3,
                           -0x1.23cc99e37356ep-3, 0x1.09f77f092dc38p-3,  -0x1.133ef4f7d17e9p-3,
                           0x1.1293bfedd700fp-3,  -0x1.25b9842db4448p-4};
  auto wide = e.widen(f);
  auto sum = e.d(kP[13]);
  for (int i = 12; i >= 0; --i) sum = e.fma(sum, wide, e.d(kP[i]));
  return e.fma(sum, wide, e.widen(k));
}

// |x|**y for finite |x| > 0.
template <class E>
auto pow_magnitude(E& e, typename E::F magnitude, typename E::F y) {
  auto z = e.mul(log2_wide(e, magnitude), e.widen(y));
  auto bounded = e.max(e.min(z, e.d(200.0)), e.d(-200.0));
  auto n = e.rint(bounded);
  auto r = e.narrow(e.sub(bounded, n));
  return e.scale_unit(e.fma(r, exp2_slope(e, r), e.f(1.0f)), e.narrow(n));
}

// C's pow, Annex F's special cases included.
template <class E>
auto pow(E& e, typename E::F x, typename E::F y) {
  auto a = e.abs(x);
  auto zero = e.f(0.0f), one = e.f(1.0f), infinity = e.f(e.kInfinity);
  auto whole = e.eq(e.trunc(y), y);
  auto half = e.mul(e.f(0.5f), y);
  auto odd = e.both(whole, e.both(e.lt(e.abs(y), e.f(0x1p24f)), e.ne(e.trunc(half), half)));
  auto y_negative = e.lt(y, zero);
  auto y_infinite = e.eq(e.abs(y), infinity);

  auto value = pow_magnitude(e, a, y);
  // 0 and infinity: 0**y and inf**-y are 0, 0**-y and inf**y infinite.
  auto a_zero = e.eq(a, zero), a_infinite = e.eq(a, infinity);
  value = e.select(a_zero, e.select(y_negative, infinity, zero), value);
  value = e.select(a_infinite, e.select(y_negative, zero, infinity), value);
  // y infinite: by whether |x| grows.
  auto grows = e.ne(e.lt(a, one), y_negative);
  auto at_infinite_y = e.select(e.eq(a, one), one, e.select(grows, zero, infinity));
  value = e.select(y_infinite, at_infinite_y, value);
  // Negative x: odd powers are negative; powers that are not whole numbers have no real value.
  auto x_negative = e.lt(e.copysign(one, x), zero);
  value = e.select(e.both(x_negative, odd), e.neg(value), value);
  auto finite_negative = e.both(e.lt(x, zero), e.lt(a, infinity));
  value = e.select(e.both(finite_negative, e.both(e.not_(whole), e.not_(y_infinite))), e.f(e.kNan),
                   value);
  auto nan = e.either(e.ne(x, x), e.ne(y, y));
  value = e.select(nan, e.add(x, y), value);
  return e.select(e.either(e.eq(x, one), e.eq(y, zero)), one, value);
}

// ------------------------------------------------------------------------------------------
// Estimates: what a kernel allows by fastmath=. Errors are in docs/math.md.

// As log2, with f / log(2) in one part.
template <class E>
auto log2_estimate(E& e, typename E::F x) {
  auto [k, f] = split_near_one(e, x);
  auto p = polynomial(
      e, f,
      {0x1.715476p+0f, -0x1.715470p-1f, 0x1.ec7092p-2f, -0x1.715aeep-2f, 0x1.277fe2p-2f,
       -0x1.eaa98ap-3f, 0x1.a2b5dcp-3f, -0x1.878f56p-3f, 0x1.7f6b68p-3f, -0x1.c67f74p-4f});
  return e.fma(f, p, k);
}

// sin (quarter = 0) or cos (quarter = 1), from -1 to 1 for every finite x: an angle that is too
// large to be reduced stays within a quarter.
template <class E>
auto sin_or_cos_estimate(E& e, typename E::F x, int quarter) {
  auto n = e.rint(e.mul(x, e.f(0x1.45f306p-1f)));
  auto rest = e.fma(n, e.f(-0x1.921fb0p+0f), x);
  auto r = clamp(e, e.fma(n, e.f(-0x1.5110b4p-22f), rest), -0.8f, 0.8f);
  auto rr = e.mul(r, r);
  auto s = polynomial(e, rr, {-0x1.555556p-3f, 0x1.111176p-7f, -0x1.a05ba8p-13f});
  auto c = polynomial(e, rr, {1.0f, -0.5f, 0x1.555556p-5f, -0x1.6c1762p-10f, 0x1.a075d6p-16f});
  auto q = e.iadd(e.to_int(n), e.i(quarter));
  auto odd = e.ne(e.iand(q, e.i(1)), e.i(0));
  auto value = e.select(odd, c, e.fma(e.mul(rr, r), s, r));
  return e.from_bits(e.ixor(e.bits(value), e.shl(e.iand(q, e.i(2)), 30)));
}

// As tanh, with an estimated quotient.
template <class E>
auto tanh_estimate(E& e, typename E::F x) {
  auto a = e.abs(x);
  auto aa = e.mul(a, a);
  auto p = polynomial(e, aa, {-0x1.555554p-2f, 0x1.1110aep-3f, -0x1.ba07f2p-5f, 0x1.655aeep-6f});
  auto small = e.fma(e.mul(aa, a), p, a);
  auto grown = exp2(e, e.mul(e.min(a, e.f(10.0f)), e.f(0x1.715476p+1f)));
  auto large = e.sub(e.f(1.0f), e.div_estimate(e.f(2.0f), e.add(grown, e.f(1.0f))));
  return e.copysign(e.select(e.lt(a, e.f(0.3f)), small, large), x);
}

}  // namespace cuda_device::passes::math
