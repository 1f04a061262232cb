// 16 lanes, 32 registers, masks in registers of their own. See simd.h.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace cuda_device::bench {

constexpr int kLanes = 16;
constexpr bool kFreeMasks = true;

using Vec = __m512;
using Ints = __m512i;
using Mask = __mmask16;

inline Vec splat(float x) { return _mm512_set1_ps(x); }
inline Vec load(const float* p) { return _mm512_loadu_ps(p); }
inline Vec load(const float* p, Mask m) { return _mm512_maskz_loadu_ps(m, p); }
inline void store(float* p, Vec x) { _mm512_storeu_ps(p, x); }
inline void store(float* p, Vec x, Mask m) { _mm512_mask_storeu_ps(p, m, x); }
inline void stream(float* p, Vec x) { _mm512_stream_ps(p, x); }

inline Vec add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
inline Vec sub(Vec a, Vec b) { return _mm512_sub_ps(a, b); }
inline Vec mul(Vec a, Vec b) { return _mm512_mul_ps(a, b); }
inline Vec div(Vec a, Vec b) { return _mm512_div_ps(a, b); }
inline Vec sqrt(Vec a) { return _mm512_sqrt_ps(a); }
inline Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }    // a*b + c
inline Vec fms(Vec a, Vec b, Vec c) { return _mm512_fmsub_ps(a, b, c); }    // a*b - c
inline Vec fnma(Vec a, Vec b, Vec c) { return _mm512_fnmadd_ps(a, b, c); }  // c - a*b
inline Vec min(Vec a, Vec b) { return _mm512_min_ps(a, b); }
inline Vec max(Vec a, Vec b) { return _mm512_max_ps(a, b); }
inline Vec abs(Vec a) { return _mm512_abs_ps(a); }
inline Vec bits_and(Vec a, Vec b) { return _mm512_and_ps(a, b); }
inline Vec bits_or(Vec a, Vec b) { return _mm512_or_ps(a, b); }
inline float sum_of_lanes(Vec a) { return _mm512_reduce_add_ps(a); }

// Within 2^-14 of 1/sqrt(a).
inline Vec estimated_rsqrt(Vec a) { return _mm512_rsqrt14_ps(a); }

inline Vec nearest(Vec x) { return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT); }

// y * 2^n for whole n, rounded once.
inline Vec scaled(Vec y, Vec n) { return _mm512_scalef_ps(y, n); }
inline Vec scaled_normal(Vec y, Vec n) { return _mm512_scalef_ps(y, n); }

inline Vec shuffled_low2(Vec a, Vec b) { return _mm512_shuffle_ps(a, b, 0x44); }
inline Vec shuffled_high2(Vec a, Vec b) { return _mm512_shuffle_ps(a, b, 0xee); }
inline Vec shuffled_even(Vec a, Vec b) { return _mm512_shuffle_ps(a, b, 0x88); }
inline Vec shuffled_odd(Vec a, Vec b) { return _mm512_shuffle_ps(a, b, 0xdd); }
inline Vec unpack_low(Vec a, Vec b) { return _mm512_unpacklo_ps(a, b); }
inline Vec unpack_high(Vec a, Vec b) { return _mm512_unpackhi_ps(a, b); }

inline Vec unpack_low2(Vec a, Vec b) {
  return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

inline Vec unpack_high2(Vec a, Vec b) {
  return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

inline Ints lane_numbers() {
  return _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

inline Vec lane_floats() {
  return _mm512_set_ps(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}

inline Ints splat_int(int32_t x) { return _mm512_set1_epi32(x); }
inline Ints load(const uint32_t* p) { return _mm512_loadu_si512(p); }
inline void store(void* p, Ints x) { _mm512_storeu_si512(p, x); }
inline void store(int32_t* p, Ints x, Mask m) { _mm512_mask_storeu_epi32(p, m, x); }
inline Ints add(Ints a, Ints b) { return _mm512_add_epi32(a, b); }

// Lane i of the result is lane at[i] of x.
inline Vec permuted(Vec x, Ints at) { return _mm512_permutexvar_ps(at, x); }

inline Vec reversed(Vec x) {
  return permuted(x, _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

inline Mask less(Vec a, Vec b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
inline Mask at_most(Vec a, Vec b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
inline Vec choose(Mask m, Vec yes, Vec no) { return _mm512_mask_mov_ps(no, m, yes); }
inline Ints one_more(Ints count, Mask m) {
  return _mm512_mask_add_epi32(count, m, count, _mm512_set1_epi32(1));
}
inline Mask no_lanes() { return 0; }
inline Mask either(Mask a, Mask b) { return _kor_mask16(a, b); }
inline bool none(Mask m) { return _kortestz_mask16_u8(m, m); }

// The lanes below `count`, which may be negative or beyond 16.
inline Mask first_lanes(int64_t count) {
  if (count >= kLanes) return 0xffff;
  return count <= 0 ? 0 : static_cast<Mask>((1u << count) - 1);
}

}  // namespace cuda_device::bench
