// Shortest paths inside 32x32 tiles (Floyd and Warshall). A tile lives in L1. Two steps share a
// pass, which halves the stores: the rows of both stay in four registers while they are offered to
// every row.
#include <cstdint>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int kSide = 32;
constexpr int64_t kChunk = 8;  // tiles a thread takes at a time

inline Vec min(Vec a, Vec b) { return _mm512_min_ps(a, b); }

struct Row {
  Vec low, high;
};

inline Row load_row(const float* p) { return {load(p), load(p + kLanes)}; }

// The row, by way of another one that is `step` away.
inline Row shorter(Row row, Vec step, Row by) {
  return {min(row.low, add(step, by.low)), min(row.high, add(step, by.high))};
}

// Steps k and k + 1, k even. Each has the values from before it on its right-hand side: its row is
// held, and d[i][k] is read before its store. d[i][k + 1] comes out of the row that step k made.
template <bool kHigh>
inline void relax_pair(float* to, const float* from, int k) {
  const Row first = load_row(from + k * kSide);
  const float* next = from + (k + 1) * kSide;
  const Row second = shorter(load_row(next), splat(next[k]), first);
  const __m512i lane = _mm512_set1_epi32((k + 1) % kLanes);
#pragma GCC unroll 8
  for (int i = 0; i < kSide; ++i) {
    const float* p = from + i * kSide;
    Row row = shorter(load_row(p), splat(p[k]), first);
    Vec step = _mm512_permutexvar_ps(lane, kHigh ? row.high : row.low);
    row = shorter(row, step, second);
    store(to + i * kSide, row.low);
    store(to + i * kSide + kLanes, row.high);
  }
}

void tile(float* out, const float* in) {
  alignas(64) float d[kSide * kSide];
  relax_pair<false>(d, in, 0);
  for (int k = 2; k < kLanes; k += 2) relax_pair<false>(d, d, k);
  for (int k = kLanes; k < kSide - 2; k += 2) relax_pair<true>(d, d, k);
  relax_pair<true>(out, d, kSide - 2);
}

}  // namespace
}  // namespace cuda_device::bench

void hand_floyd_tiles(int threads, float* out, const float* in, int64_t tiles) {
  using namespace cuda_device::bench;
  parallel_chunks(threads, tiles, kChunk, [=](int64_t first, int64_t last) {
    for (int64_t t = first; t < last; ++t) tile(out + t * kSide * kSide, in + t * kSide * kSide);
  });
}
