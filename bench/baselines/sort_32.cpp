// Sorts runs of 32. As many runs as there are lanes are transposed, so that a run is a lane of 32
// vectors; these are sorted without shuffles and transposed back.
#include <algorithm>
#include <cstring>

#include "baselines.h"
#include "lanes.h"
#include "sort_network.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int kRun = 32;
constexpr int kSquares = kRun / kLanes;  // of a run of each lane
constexpr int64_t kChunk = 256;          // runs a thread takes at a time, a multiple of kLanes

inline void sort_runs(float* out, const float* in) {
  Vec v[kRun];
#pragma GCC unroll 4
  for (int square = 0; square < kSquares; ++square) {
    Vec r[kLanes];
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) r[i] = load(in + i * kRun + square * kLanes);
    transpose_square(r);
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) v[square * kLanes + i] = r[i];
  }
  sort_lanes<0, kRun>(v);
#pragma GCC unroll 4
  for (int square = 0; square < kSquares; ++square) {
    Vec r[kLanes];
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) r[i] = v[square * kLanes + i];
    transpose_square(r);
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) store(out + i * kRun + square * kLanes, r[i]);
  }
}

void sort_range(float* out, const float* in, int64_t first, int64_t last) {
  int64_t run = first;
  for (; run + kLanes <= last; run += kLanes) sort_runs(out + run * kRun, in + run * kRun);
  if (run == last) return;
  alignas(64) float some[kLanes * kRun] = {};
  const auto bytes = static_cast<size_t>(last - run) * kRun * sizeof(float);
  std::memcpy(some, in + run * kRun, bytes);
  sort_runs(some, some);
  std::memcpy(out + run * kRun, some, bytes);
}

}  // namespace
}  // namespace cuda_device::bench

void hand_sort_32(int threads, float* out, const float* in, int64_t n) {
  using namespace cuda_device::bench;
  parallel_chunks(threads, n / kRun, kChunk,
                  [=](int64_t first, int64_t last) { sort_range(out, in, first, last); });
}
