// kLanes vectors as a square matrix: its transpose, and the sums of its rows.
#pragma once

#include "simd.h"

namespace cuda_device::bench {

#if defined(__AVX512F__)

// 128-bit quarters 0 and 2 of both, or 1 and 3.
inline Vec even_quarters(Vec a, Vec b) { return _mm512_shuffle_f32x4(a, b, 0x88); }
inline Vec odd_quarters(Vec a, Vec b) { return _mm512_shuffle_f32x4(a, b, 0xdd); }

// r[i], r[i + 4], ... from t[i], t[i + 4], ...: the transpose of the 4x4 matrix of their quarters.
inline void transpose_parts(Vec (&r)[16], const Vec (&t)[16], int i) {
  Vec a = even_quarters(t[i], t[i + 4]), b = odd_quarters(t[i], t[i + 4]);
  Vec c = even_quarters(t[i + 8], t[i + 12]), d = odd_quarters(t[i + 8], t[i + 12]);
  r[i] = even_quarters(a, c);
  r[i + 4] = even_quarters(b, d);
  r[i + 8] = odd_quarters(a, c);
  r[i + 12] = odd_quarters(b, d);
}

// The sums of the quarters: four of each vector.
inline Vec add_parts(const Vec (&quad)[4]) {
  Vec low = add(even_quarters(quad[0], quad[1]), odd_quarters(quad[0], quad[1]));
  Vec high = add(even_quarters(quad[2], quad[3]), odd_quarters(quad[2], quad[3]));
  return add(even_quarters(low, high), odd_quarters(low, high));
}

#else

inline Vec low_halves(Vec a, Vec b) { return _mm256_permute2f128_ps(a, b, 0x20); }
inline Vec high_halves(Vec a, Vec b) { return _mm256_permute2f128_ps(a, b, 0x31); }

// r[i] and r[i + 4] from t[i] and t[i + 4]: the transpose of the 2x2 matrix of their halves.
inline void transpose_parts(Vec (&r)[8], const Vec (&t)[8], int i) {
  r[i] = low_halves(t[i], t[i + 4]);
  r[i + 4] = high_halves(t[i], t[i + 4]);
}

// The sums of the halves: two of each vector.
inline Vec add_parts(const Vec (&quad)[2]) {
  return add(low_halves(quad[0], quad[1]), high_halves(quad[0], quad[1]));
}

#endif

// 64 shuffles of 16 vectors, 24 of 8: 4x4 transposes inside 128 bits, then the transpose of these.
inline void transpose_square(Vec (&r)[kLanes]) {
  Vec t[kLanes];
#pragma GCC unroll 4
  for (int i = 0; i < kLanes; i += 4) {
    Vec a = unpack_low(r[i], r[i + 1]), b = unpack_high(r[i], r[i + 1]);
    Vec c = unpack_low(r[i + 2], r[i + 3]), d = unpack_high(r[i + 2], r[i + 3]);
    t[i] = unpack_low2(a, c);
    t[i + 1] = unpack_high2(a, c);
    t[i + 2] = unpack_low2(b, d);
    t[i + 3] = unpack_high2(b, d);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) transpose_parts(r, t, i);
}

// Lane i of the result is the sum of r[i]'s lanes: 30 shuffles for 16 sums, 14 for 8.
inline Vec row_sums(const Vec (&r)[kLanes]) {
  Vec quad[kLanes / 4];
#pragma GCC unroll 4
  for (int i = 0; i < kLanes / 4; ++i) {
    const Vec* p = r + 4 * i;
    Vec a = add(unpack_low(p[0], p[1]), unpack_high(p[0], p[1]));
    Vec b = add(unpack_low(p[2], p[3]), unpack_high(p[2], p[3]));
    quad[i] = add(unpack_low2(a, b), unpack_high2(a, b));
  }
  return add_parts(quad);
}

}  // namespace cuda_device::bench
