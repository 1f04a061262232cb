// The sum of a piece of memory.
#pragma once

#include "simd.h"

namespace cuda_device::bench {

constexpr int64_t kAhead = 1024;  // floats between a load and its prefetch

// Any number of elements at any address.
inline float sum(const float* p, int64_t n) {
  Vec s[8];
  for (Vec& x : s) x = splat(0);
  int64_t i = 0;
  for (; i + 8 * kLanes <= n; i += 8 * kLanes) {
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k) {
      if (k % kLineVectors == 0) prefetch(p + i + k * kLanes + kAhead);
      s[k] = add(s[k], load(p + i + k * kLanes));
    }
  }
  for (; i < n; i += kLanes) s[0] = add(s[0], load(p + i, first_lanes(n - i)));
  Vec low = add(add(s[0], s[1]), add(s[2], s[3])), high = add(add(s[4], s[5]), add(s[6], s[7]));
  return sum_of_lanes(add(low, high));
}

}  // namespace cuda_device::bench
