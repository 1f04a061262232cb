// Sorts vectors lane by lane, by networks of comparisons.
#pragma once

#include "simd.h"

namespace cuda_device::bench {

// Where both are zeros each instruction returns its second operand: none is lost.
inline void order(Vec& a, Vec& b) {
  Vec low = min(a, b);
  b = max(b, a);
  a = low;
}

template <int kCount>
inline void load_all(Vec (&v)[kCount], const float* p) {
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) v[i] = load(p + i * kLanes);
}

template <int kCount>
inline void store_all(float* p, const Vec (&v)[kCount]) {
#pragma GCC unroll 16
  for (int i = 0; i < kCount; ++i) store(p + i * kLanes, v[i]);
}

// Batcher's odd-even merge sort of vectors, lane by lane: 63 exchanges of 16, 191 of 32.
template <int kFirst, int kCount, int kStep, int kAll>
inline void odd_even_merge(Vec (&v)[kAll]) {
  if constexpr (2 * kStep < kCount) {
    odd_even_merge<kFirst, kCount, 2 * kStep>(v);
    odd_even_merge<kFirst + kStep, kCount, 2 * kStep>(v);
#pragma GCC unroll 16
    for (int i = kFirst + kStep; i + kStep < kFirst + kCount; i += 2 * kStep)
      order(v[i], v[i + kStep]);
  } else {
    order(v[kFirst], v[kFirst + kStep]);
  }
}

template <int kFirst, int kCount, int kAll>
inline void sort_lanes(Vec (&v)[kAll]) {
  if constexpr (kCount > 1) {
    sort_lanes<kFirst, kCount / 2>(v);
    sort_lanes<kFirst + kCount / 2, kCount / 2>(v);
    odd_even_merge<kFirst, kCount, 1>(v);
  }
}

}  // namespace cuda_device::bench
