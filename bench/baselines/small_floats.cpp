// float16 and bfloat16 in memory, float32 in registers: a*x + y, and dot products of shares.
#include <algorithm>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

#if defined(__AVX512F__)
using Half = __m256i;  // kLanes numbers of 16 bits
inline Half load_half(const uint16_t* p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
}
inline void stream_half(uint16_t* p, Half x) {
  _mm256_stream_si256(reinterpret_cast<__m256i*>(p), x);
}
inline Vec from_float16(Half x) { return _mm512_cvtph_ps(x); }
inline Half to_float16(Vec x) { return _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT); }
inline Vec from_bfloat16(Half x) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
}
// To the nearest, ties to even; no NaN.
inline Half to_bfloat16(Vec x) {
  Ints bits = _mm512_castps_si512(x);
  Ints odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  bits = add(bits, add(odd, _mm512_set1_epi32(0x7fff)));
  return _mm512_cvtepi32_epi16(_mm512_srli_epi32(bits, 16));
}
#else
using Half = __m128i;
inline Half load_half(const uint16_t* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
inline void stream_half(uint16_t* p, Half x) { _mm_stream_si128(reinterpret_cast<__m128i*>(p), x); }
inline Vec from_float16(Half x) { return _mm256_cvtph_ps(x); }
inline Half to_float16(Vec x) { return _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT); }
inline Vec from_bfloat16(Half x) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16));
}
inline Half to_bfloat16(Vec x) {
  Ints bits = _mm256_castps_si256(x);
  Ints odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  bits = _mm256_srli_epi32(add(bits, add(odd, _mm256_set1_epi32(0x7fff))), 16);
  return _mm_packus_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
}
#endif

struct Float16 {
  static Vec load(const uint16_t* p) { return from_float16(load_half(p)); }
  static Half rounded(Vec x) { return to_float16(x); }
};

struct Bfloat16 {
  static Vec load(const uint16_t* p) { return from_bfloat16(load_half(p)); }
  static Half rounded(Vec x) { return to_bfloat16(x); }
};

constexpr int64_t kUnit = 64;     // numbers: two lines
constexpr int64_t kAhead = 2048;  // numbers between a load and its prefetch

inline void prefetch_half(const uint16_t* p) {
  _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T0);
}

// n is a multiple of kUnit.
template <class Format>
void axpy(int threads, uint16_t* out, const uint16_t* x, const uint16_t* y, float a, int64_t n) {
  parallel_ranges(threads, n, kUnit, [=](int64_t first, int64_t last) {
    const Vec factor = splat(a);
    for (int64_t i = first; i < last; i += kUnit) {
#pragma GCC unroll 8
      for (int k = 0; k < kUnit; k += kLanes) {
        Vec sum = fma(factor, Format::load(x + i + k), Format::load(y + i + k));
        stream_half(out + i + k, Format::rounded(sum));
      }
    }
    _mm_sfence();
  });
}

// Any multiple of 8 * kLanes numbers: eight chains of additions hide their latency.
template <class Format>
float dot(const uint16_t* x, const uint16_t* y, int64_t n) {
  Vec s[8];
  for (Vec& v : s) v = splat(0);
  for (int64_t i = 0; i < n; i += 8 * kLanes) {
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      const int64_t at = i + k * kLanes;
      if (k * kLanes % 32 == 0) {
        prefetch_half(x + at + kAhead);
        prefetch_half(y + at + kAhead);
      }
      s[k] = fma(Format::load(x + at), Format::load(y + at), s[k]);
    }
  }
  Vec low = add(add(s[0], s[1]), add(s[2], s[3])), high = add(add(s[4], s[5]), add(s[6], s[7]));
  return sum_of_lanes(add(low, high));
}

// `parts` divides n, and a part is a multiple of 128 numbers.
template <class Format>
void dots(int threads, float* out, const uint16_t* x, const uint16_t* y, int64_t n, int64_t parts) {
  const int64_t size = n / parts;
  parallel_chunks(threads, parts, 1, [=](int64_t p, int64_t) {
    out[p] = dot<Format>(x + p * size, y + p * size, size);
  });
}

}  // namespace
}  // namespace cuda_device::bench

#define OF_FORMAT(name, Format)                                                                    \
  void hand_axpy_##name(int threads, uint16_t* out, const uint16_t* x, const uint16_t* y, float a, \
                        int64_t n) {                                                               \
    cuda_device::bench::axpy<cuda_device::bench::Format>(threads, out, x, y, a, n);                \
  }                                                                                                \
  void hand_dot_##name(int threads, float* out, const uint16_t* x, const uint16_t* y, int64_t n,   \
                       int64_t parts) {                                                            \
    cuda_device::bench::dots<cuda_device::bench::Format>(threads, out, x, y, n, parts);            \
  }

OF_FORMAT(float16, Float16)
OF_FORMAT(bfloat16, Bfloat16)
