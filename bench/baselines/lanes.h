// Sixteen vectors as a 16x16 matrix: its transpose, and the sums of its rows.
#pragma once

#include "simd.h"

namespace cuda_device::bench {

inline Vec unpack_low2(Vec a, Vec b) {
  return _mm512_castpd_ps(_mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

inline Vec unpack_high2(Vec a, Vec b) {
  return _mm512_castpd_ps(_mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}

// 128-bit quarters 0 and 2 of both, or 1 and 3.
inline Vec even_quarters(Vec a, Vec b) { return _mm512_shuffle_f32x4(a, b, 0x88); }
inline Vec odd_quarters(Vec a, Vec b) { return _mm512_shuffle_f32x4(a, b, 0xdd); }

// 64 shuffles: 4x4 transposes inside the quarters, then the 4x4 transpose of the quarters.
inline void transpose16(Vec (&r)[16]) {
  Vec t[16];
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    Vec a = _mm512_unpacklo_ps(r[i], r[i + 1]), b = _mm512_unpackhi_ps(r[i], r[i + 1]);
    Vec c = _mm512_unpacklo_ps(r[i + 2], r[i + 3]), d = _mm512_unpackhi_ps(r[i + 2], r[i + 3]);
    t[i] = unpack_low2(a, c);
    t[i + 1] = unpack_high2(a, c);
    t[i + 2] = unpack_low2(b, d);
    t[i + 3] = unpack_high2(b, d);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    Vec a = even_quarters(t[i], t[i + 4]), b = odd_quarters(t[i], t[i + 4]);
    Vec c = even_quarters(t[i + 8], t[i + 12]), d = odd_quarters(t[i + 8], t[i + 12]);
    r[i] = even_quarters(a, c);
    r[i + 4] = even_quarters(b, d);
    r[i + 8] = odd_quarters(a, c);
    r[i + 12] = odd_quarters(b, d);
  }
}

// Lane i of the result is the sum of r[i]'s lanes: 30 shuffles for 16 sums.
inline Vec row_sums16(const Vec (&r)[16]) {
  Vec quad[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const Vec* p = r + 4 * i;
    Vec a = add(_mm512_unpacklo_ps(p[0], p[1]), _mm512_unpackhi_ps(p[0], p[1]));
    Vec b = add(_mm512_unpacklo_ps(p[2], p[3]), _mm512_unpackhi_ps(p[2], p[3]));
    quad[i] = add(unpack_low2(a, b), unpack_high2(a, b));
  }
  Vec low = add(even_quarters(quad[0], quad[1]), odd_quarters(quad[0], quad[1]));
  Vec high = add(even_quarters(quad[2], quad[3]), odd_quarters(quad[2], quad[3]));
  return add(even_quarters(low, high), odd_quarters(low, high));
}

}  // namespace cuda_device::bench
