// Short names for the 512-bit operations that the baselines use.
#pragma once

#if !defined(__AVX512F__) || !defined(__AVX512DQ__)
#error "The hand-written baselines need a CPU with AVX-512 F and DQ (bench/build checks this)."
#endif

#include <immintrin.h>

#include <cstdint>

namespace cuda_device::bench {

constexpr int kLanes = 16;

// Outputs of this size and more are written past the caches where a function chooses by itself.
constexpr int64_t kStreamBytes = 16 << 20;

using Vec = __m512;

inline Vec splat(float x) { return _mm512_set1_ps(x); }
inline Vec load(const float* p) { return _mm512_loadu_ps(p); }
inline Vec load(const float* p, __mmask16 m) { return _mm512_maskz_loadu_ps(m, p); }
inline void store(float* p, Vec x) { _mm512_storeu_ps(p, x); }
inline void store(float* p, Vec x, __mmask16 m) { _mm512_mask_storeu_ps(p, m, x); }
inline void stream(float* p, Vec x) { _mm512_stream_ps(p, x); }

inline Vec add(Vec a, Vec b) { return _mm512_add_ps(a, b); }
inline Vec sub(Vec a, Vec b) { return _mm512_sub_ps(a, b); }
inline Vec mul(Vec a, Vec b) { return _mm512_mul_ps(a, b); }
inline Vec div(Vec a, Vec b) { return _mm512_div_ps(a, b); }
inline Vec sqrt(Vec a) { return _mm512_sqrt_ps(a); }
inline Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }    // a*b + c
inline Vec fms(Vec a, Vec b, Vec c) { return _mm512_fmsub_ps(a, b, c); }    // a*b - c
inline Vec fnma(Vec a, Vec b, Vec c) { return _mm512_fnmadd_ps(a, b, c); }  // c - a*b

// The lanes below `count`, which may be negative or beyond 16.
inline __mmask16 first_lanes(int64_t count) {
  if (count >= kLanes) return 0xffff;
  return count <= 0 ? 0 : static_cast<__mmask16>((1u << count) - 1);
}

}  // namespace cuda_device::bench
