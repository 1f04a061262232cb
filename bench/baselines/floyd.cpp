// Shortest paths inside 32x32 tiles (Floyd and Warshall). A tile lives in L1; row k stays in two
// registers while it is offered to every row. One load, of d[i][k], serves 32 lanes.
#include <cstdint>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int kSide = 32;
constexpr int64_t kChunk = 8;  // tiles a thread takes at a time

inline Vec min(Vec a, Vec b) { return _mm512_min_ps(a, b); }

// Every right-hand side is of before step k: row k is held, and d[i][k] is read before its store.
inline void relax(float* to, const float* from, int k) {
  Vec low = load(from + k * kSide), high = load(from + k * kSide + kLanes);
#pragma GCC unroll 8
  for (int i = 0; i < kSide; ++i) {
    const float* row = from + i * kSide;
    Vec step = splat(row[k]);
    Vec a = min(load(row), add(step, low)), b = min(load(row + kLanes), add(step, high));
    store(to + i * kSide, a);
    store(to + i * kSide + kLanes, b);
  }
}

void tile(float* out, const float* in) {
  alignas(64) float d[kSide * kSide];
  relax(d, in, 0);
  for (int k = 1; k < kSide - 1; ++k) relax(d, d, k);
  relax(out, d, kSide - 1);
}

}  // namespace
}  // namespace cuda_device::bench

void hand_floyd_tiles(int threads, float* out, const float* in, int64_t tiles) {
  using namespace cuda_device::bench;
  parallel_chunks(threads, tiles, kChunk, [=](int64_t first, int64_t last) {
    for (int64_t t = first; t < last; ++t) tile(out + t * kSide * kSide, in + t * kSide * kSide);
  });
}
