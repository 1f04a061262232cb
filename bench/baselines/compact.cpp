// The positive floats of an array, in any order: a thread counts those of a chunk, takes so many
// places at once, and packs them there from the cache.
#include <atomic>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int64_t kChunk = 8192;  // floats: half of a first cache

#if defined(__AVX512F__)
inline unsigned positive(Vec x) { return _mm512_cmp_ps_mask(x, splat(0), _CMP_GT_OQ); }
inline void pack(float* out, Vec x, unsigned lanes) {
  // Whole vectors beyond the packed lanes would run into the next chunk's places.
  _mm512_mask_compressstoreu_ps(out, static_cast<Mask>(lanes), x);
}
#else
struct Places {
  alignas(32) int32_t lane[256][kLanes];
  Places() {
    for (int bits = 0; bits < 256; ++bits) {
      int k = 0;
      for (int i = 0; i < kLanes; ++i)
        if (bits >> i & 1) lane[bits][k++] = i;
      while (k < kLanes) lane[bits][k++] = 0;
    }
  }
};
const Places places;

inline unsigned positive(Vec x) {
  return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(x, splat(0), _CMP_GT_OQ)));
}
inline void pack(float* out, Vec x, unsigned lanes) {
  Ints at = _mm256_load_si256(reinterpret_cast<const __m256i*>(places.lane[lanes]));
  store(out, permuted(x, at));
}
#endif

}  // namespace
}  // namespace cuda_device::bench

void hand_compact(int threads, float* out, int32_t* total, const float* in, int64_t n) {
  using namespace cuda_device::bench;
  std::atomic<int32_t> next{0};
  parallel_chunks(threads, n, kChunk, [&](int64_t first, int64_t last) {
    const auto at = [&](int64_t i) {
      return last - i < kLanes ? load(in + i, first_lanes(last - i)) : load(in + i);
    };
    int32_t count = 0;
    for (int64_t i = first; i < last; i += kLanes) count += __builtin_popcount(positive(at(i)));
    int32_t place = next.fetch_add(count, std::memory_order_relaxed);
    // Without masks a vector is stored whole: the last ones of a chunk go through a buffer.
    const int32_t end = place + count;
    for (int64_t i = first; i < last; i += kLanes) {
      const Vec x = at(i);
      const unsigned lanes = positive(x);
      const int32_t some = __builtin_popcount(lanes);
      if (kFreeMasks || end - place >= kLanes) {
        pack(out + place, x, lanes);
      } else {
        alignas(64) float few[kLanes];
        pack(few, x, lanes);
        for (int32_t k = 0; k < some; ++k) out[place + k] = few[k];
      }
      place += some;
    }
  });
  *total = next.load();
}
