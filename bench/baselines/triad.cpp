// a = b + s * c. Four vectors in flight; the streaming variant spares the read of `a` that a store
// to an uncached line causes.
#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

template <bool kStream>
void triad_range(float* a, const float* b, const float* c, float s, int64_t first, int64_t last) {
  Vec scale = splat(s);
  int64_t i = first;
  for (; i + 4 * kLanes <= last; i += 4 * kLanes) {
    Vec y[4];
    for (int k = 0; k < 4; ++k)
      y[k] = fma(scale, load(c + i + k * kLanes), load(b + i + k * kLanes));
    for (int k = 0; k < 4; ++k) put<kStream>(a + i + k * kLanes, y[k]);
  }
  for (; i < last; i += kLanes) {
    Mask m = first_lanes(last - i);
    store(a + i, fma(scale, load(c + i, m), load(b + i, m)), m);
  }
  if constexpr (kStream) _mm_sfence();
}

template <bool kStream>
void triad(int threads, float* a, const float* b, const float* c, float s, int64_t n) {
  parallel_ranges(threads, n, 4 * kLanes, [=](int64_t first, int64_t last) {
    triad_range<kStream>(a, b, c, s, first, last);
  });
}

}  // namespace
}  // namespace cuda_device::bench

void hand_triad(int threads, float* a, const float* b, const float* c, float s, int64_t n) {
  cuda_device::bench::triad<false>(threads, a, b, c, s, n);
}

void hand_triad_nt(int threads, float* a, const float* b, const float* c, float s, int64_t n) {
  cuda_device::bench::triad<true>(threads, a, b, c, s, n);
}
