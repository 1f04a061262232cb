// 8 lanes, 16 registers. A mask is a vector of zeros and ones, cheap where a comparison makes and
// an operation takes it; stores with one are slow, and belong at edges. See simd.h.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace cuda_device::bench {

constexpr int kLanes = 8;
constexpr bool kFreeMasks = false;

using Vec = __m256;
using Ints = __m256i;
using Mask = __m256i;  // a lane's bits are all equal

inline Vec splat(float x) { return _mm256_set1_ps(x); }
inline Vec load(const float* p) { return _mm256_loadu_ps(p); }
inline Vec load(const float* p, Mask m) { return _mm256_maskload_ps(p, m); }
inline void store(float* p, Vec x) { _mm256_storeu_ps(p, x); }
inline void store(float* p, Vec x, Mask m) { _mm256_maskstore_ps(p, m, x); }
inline void stream(float* p, Vec x) { _mm256_stream_ps(p, x); }

inline Vec add(Vec a, Vec b) { return _mm256_add_ps(a, b); }
inline Vec sub(Vec a, Vec b) { return _mm256_sub_ps(a, b); }
inline Vec mul(Vec a, Vec b) { return _mm256_mul_ps(a, b); }
inline Vec div(Vec a, Vec b) { return _mm256_div_ps(a, b); }
inline Vec sqrt(Vec a) { return _mm256_sqrt_ps(a); }
inline Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }    // a*b + c
inline Vec fms(Vec a, Vec b, Vec c) { return _mm256_fmsub_ps(a, b, c); }    // a*b - c
inline Vec fnma(Vec a, Vec b, Vec c) { return _mm256_fnmadd_ps(a, b, c); }  // c - a*b
inline Vec min(Vec a, Vec b) { return _mm256_min_ps(a, b); }
inline Vec max(Vec a, Vec b) { return _mm256_max_ps(a, b); }
inline Vec abs(Vec a) { return _mm256_andnot_ps(splat(-0.0f), a); }
inline Vec bits_and(Vec a, Vec b) { return _mm256_and_ps(a, b); }
inline Vec bits_or(Vec a, Vec b) { return _mm256_or_ps(a, b); }

inline float sum_of_lanes(Vec a) {
  __m128 x = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  x = _mm_add_ps(x, _mm_movehl_ps(x, x));
  return _mm_cvtss_f32(_mm_add_ss(x, _mm_movehdup_ps(x)));
}

// Within 1.5 * 2^-12 of 1/sqrt(a).
inline Vec estimated_rsqrt(Vec a) { return _mm256_rsqrt_ps(a); }

inline Vec nearest(Vec x) {
  return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

// 2^n where that is a normal number, 0 or infinity at the ends: -127 <= n <= 128.
inline Vec power_of_two(Ints n) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(n, _mm256_set1_epi32(127)), 23));
}

// y * 2^n for whole n and y near 1, rounded once: half of n first, which stays exact.
inline Vec scaled(Vec y, Vec n) {
  Ints whole = _mm256_cvtps_epi32(n);
  whole = _mm256_max_epi32(whole, _mm256_set1_epi32(-252));
  whole = _mm256_min_epi32(whole, _mm256_set1_epi32(256));
  Ints half = _mm256_srai_epi32(whole, 1);
  y = mul(y, power_of_two(half));
  return mul(y, power_of_two(_mm256_sub_epi32(whole, half)));
}

// The same where neither y nor the result is zero, denormal or infinite.
inline Vec scaled_normal(Vec y, Vec n) {
  Ints exponent = _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23);
  return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(y), exponent));
}

// Shuffles each half of the vectors by itself.
inline Vec shuffled_low2(Vec a, Vec b) { return _mm256_shuffle_ps(a, b, 0x44); }
inline Vec shuffled_high2(Vec a, Vec b) { return _mm256_shuffle_ps(a, b, 0xee); }
inline Vec shuffled_even(Vec a, Vec b) { return _mm256_shuffle_ps(a, b, 0x88); }
inline Vec shuffled_odd(Vec a, Vec b) { return _mm256_shuffle_ps(a, b, 0xdd); }
inline Vec unpack_low(Vec a, Vec b) { return _mm256_unpacklo_ps(a, b); }
inline Vec unpack_high(Vec a, Vec b) { return _mm256_unpackhi_ps(a, b); }

inline Vec unpack_low2(Vec a, Vec b) {
  return _mm256_castpd_ps(_mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
}

inline Vec unpack_high2(Vec a, Vec b) {
  return _mm256_castpd_ps(_mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(b)));
}

inline Ints lane_numbers() { return _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0); }
inline Vec lane_floats() { return _mm256_set_ps(7, 6, 5, 4, 3, 2, 1, 0); }
inline Ints splat_int(int32_t x) { return _mm256_set1_epi32(x); }
inline Ints load(const uint32_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
inline void store(void* p, Ints x) { _mm256_storeu_si256(static_cast<__m256i*>(p), x); }
inline void store(int32_t* p, Ints x, Mask m) { _mm256_maskstore_epi32(p, m, x); }
inline Ints add(Ints a, Ints b) { return _mm256_add_epi32(a, b); }

// Lane i of the result is lane at[i] of x.
inline Vec permuted(Vec x, Ints at) { return _mm256_permutevar8x32_ps(x, at); }

inline Vec reversed(Vec x) { return permuted(x, _mm256_set_epi32(0, 1, 2, 3, 4, 5, 6, 7)); }

inline Mask less(Vec a, Vec b) { return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_LT_OQ)); }
inline Mask at_most(Vec a, Vec b) { return _mm256_castps_si256(_mm256_cmp_ps(a, b, _CMP_LE_OQ)); }
inline Vec choose(Mask m, Vec yes, Vec no) {
  return _mm256_blendv_ps(no, yes, _mm256_castsi256_ps(m));
}
inline Ints one_more(Ints count, Mask m) { return _mm256_sub_epi32(count, m); }
inline Mask no_lanes() { return _mm256_setzero_si256(); }
inline Mask either(Mask a, Mask b) { return _mm256_or_si256(a, b); }
inline bool none(Mask m) { return _mm256_movemask_ps(_mm256_castsi256_ps(m)) == 0; }

// The lanes below `count`, which may be negative or beyond 8.
inline Mask first_lanes(int64_t count) {
  int least = static_cast<int>(count < kLanes ? count : kLanes);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(least), lane_numbers());
}

}  // namespace cuda_device::bench
