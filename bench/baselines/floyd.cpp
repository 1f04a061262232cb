// Shortest paths inside 32x32 tiles (Floyd and Warshall). A tile lives in L1. Two steps share a
// pass, which halves the stores: the rows of both stay in registers while they are offered to every
// row.
#include <cstdint>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int kSide = 32;
constexpr int64_t kChunk = 8;  // tiles a thread takes at a time

struct Row {
  Vec v[kSide / kLanes];
};

inline Row load_row(const float* p) {
  Row row;
#pragma GCC unroll 4
  for (int i = 0; i < kSide / kLanes; ++i) row.v[i] = load(p + i * kLanes);
  return row;
}

inline void store_row(float* p, const Row& row) {
#pragma GCC unroll 4
  for (int i = 0; i < kSide / kLanes; ++i) store(p + i * kLanes, row.v[i]);
}

// The row, by way of another one that is `step` away.
inline Row shorter(Row row, Vec step, const Row& by) {
#pragma GCC unroll 4
  for (int i = 0; i < kSide / kLanes; ++i) row.v[i] = min(row.v[i], add(step, by.v[i]));
  return row;
}

// Steps k and k + 1, k even and, of 16 lanes, in vector kVector. Each has the values from before it
// on its right-hand side: its row is held, and d[i][k] is read before its store. d[i][k + 1] comes
// out of the row that step k made, or is made by itself where lanes are slower to move than to
// compute.
template <int kVector>
inline void relax_pair(float* to, const float* from, int k) {
  const Row first = load_row(from + k * kSide);
  const float* next = from + (k + 1) * kSide;
  const Row second = shorter(load_row(next), splat(next[k]), first);
  const Ints lane = splat_int((k + 1) % kLanes);
  const Vec between = splat(from[k * kSide + k + 1]);
#pragma GCC unroll 8
  for (int i = 0; i < kSide; ++i) {
    const float* p = from + i * kSide;
    const Vec step = splat(p[k]);
    const Row row = shorter(load_row(p), step, first);
    const Vec next_step =
        kLanes == 16 ? permuted(row.v[kVector], lane) : min(splat(p[k + 1]), add(step, between));
    store_row(to + i * kSide, shorter(row, next_step, second));
  }
}

void tile(float* out, const float* in) {
  alignas(64) float d[kSide * kSide];
  relax_pair<0>(d, in, 0);
  for (int k = 2; k < kLanes; k += 2) relax_pair<0>(d, d, k);
  for (int k = kLanes; k < kSide - 2; k += 2) relax_pair<1>(d, d, k);
  relax_pair<1>(out, d, kSide - 2);
}

}  // namespace
}  // namespace cuda_device::bench

void hand_floyd_tiles(int threads, float* out, const float* in, int64_t tiles) {
  using namespace cuda_device::bench;
  parallel_chunks(threads, tiles, kChunk, [=](int64_t first, int64_t last) {
    for (int64_t t = first; t < last; ++t) tile(out + t * kSide * kSide, in + t * kSide * kSide);
  });
}
