// Row-major copy. Contiguous rows follow one another, so an expert copies one long row a thread.
#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

template <bool kStream>
void copy_range(float* out, const float* in, int64_t first, int64_t last) {
  int64_t i = first;
  for (; i + 4 * kLanes <= last; i += 4 * kLanes) {
    Vec x[4];
    for (int k = 0; k < 4; ++k) x[k] = load(in + i + k * kLanes);
    for (int k = 0; k < 4; ++k) put<kStream>(out + i + k * kLanes, x[k]);
  }
  for (; i < last; i += kLanes) {
    Mask m = first_lanes(last - i);
    store(out + i, load(in + i, m), m);
  }
  if constexpr (kStream) _mm_sfence();
}

template <bool kStream>
void copy2d(int threads, float* out, const float* in, int64_t width, int64_t height) {
  parallel_ranges(threads, width * height, 4 * kLanes,
                  [=](int64_t first, int64_t last) { copy_range<kStream>(out, in, first, last); });
}

}  // namespace
}  // namespace cuda_device::bench

void hand_copy2d(int threads, float* out, const float* in, int64_t width, int64_t height) {
  cuda_device::bench::copy2d<false>(threads, out, in, width, height);
}

void hand_copy2d_nt(int threads, float* out, const float* in, int64_t width, int64_t height) {
  cuda_device::bench::copy2d<true>(threads, out, in, width, height);
}
