// Sorts blocks of 1024. The lanes are sorted as columns, without shuffles; transposes make them as
// many sorted runs, which bitonic merges join two by two. A merge's first step meets one run with
// the other reversed, so every run ascends and no step needs a direction.
#include <cstdint>

#include "baselines.h"
#include "lanes.h"
#include "sort_network.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int64_t kBlock = 1024;
constexpr int kVectors = kBlock / kLanes;  // of a block: a column's length
constexpr int kRun = kVectors / kLanes;    // vectors of the run that a column becomes
constexpr int kGroup = 16;                 // vectors that are worked on together
constexpr int64_t kChunk = 4;              // blocks a thread takes at a time

// Bitonic steps over whole vectors at distances kDistance, kDistance / 2, ... 1.
template <int kDistance, int kCount>
inline void clean_vectors(Vec (&v)[kCount]) {
  if constexpr (kDistance > 0) {
#pragma GCC unroll 16
    for (int i = 0; i < kCount; ++i)
      if ((i & kDistance) == 0) order(v[i], v[i + kDistance]);
    clean_vectors<kDistance / 2>(v);
  }
}

#if defined(__AVX512F__)

// Bitonic steps at distances 8, 4, 2, 1 inside two vectors: two shuffles bring partners to equal
// lanes of both, and the next step's shuffles start from there.
inline void clean_lanes(Vec& a, Vec& b) {
  Vec low = _mm512_shuffle_f32x4(a, b, 0x44), high = _mm512_shuffle_f32x4(a, b, 0xee);
  order(low, high);
  Vec p = even_quarters(low, high), q = odd_quarters(low, high);
  order(p, q);
  low = shuffled_low2(p, q), high = shuffled_high2(p, q);
  order(low, high);
  p = shuffled_even(low, high), q = shuffled_odd(low, high);
  order(p, q);
  const Ints first = _mm512_setr_epi32(0, 16, 2, 18, 1, 17, 3, 19, 8, 24, 10, 26, 9, 25, 11, 27);
  const Ints second = _mm512_setr_epi32(4, 20, 6, 22, 5, 21, 7, 23, 12, 28, 14, 30, 13, 29, 15, 31);
  a = _mm512_permutex2var_ps(p, first, q);
  b = _mm512_permutex2var_ps(p, second, q);
}

#else

// Bitonic steps at distances 4, 2, 1 inside two vectors: two shuffles bring partners to equal lanes
// of both, and the next step's shuffles start from there.
inline void clean_lanes(Vec& a, Vec& b) {
  Vec low = low_halves(a, b), high = high_halves(a, b);
  order(low, high);
  Vec p = shuffled_low2(low, high), q = shuffled_high2(low, high);
  order(p, q);
  low = shuffled_even(p, q), high = shuffled_odd(p, q);
  order(low, high);
  // Each half of the vectors has lanes 0, 4, 2, 6 and 1, 5, 3, 7 of what was a, then b.
  p = unpack_low(low, high), q = unpack_high(low, high);
  low = unpack_low2(p, q), high = unpack_high2(p, q);
  a = low_halves(low, high);
  b = high_halves(low, high);
}

#endif

inline void clean_all_lanes(Vec (&v)[kGroup]) {
#pragma GCC unroll 8
  for (int i = 0; i < kGroup; i += 2) clean_lanes(v[i], v[i + 1]);
}

// Runs of kHalf vectors to runs of twice as many, inside a group.
template <int kHalf>
inline void merge_runs(Vec (&v)[kGroup]) {
#pragma GCC unroll 16
  for (int i = 0; i < kGroup; ++i) {
    if ((i & kHalf) != 0) continue;
    int partner = i ^ (2 * kHalf - 1);
    Vec high = reversed(v[partner]);
    order(v[i], high);
    v[partner] = high;  // lanes stay reversed: still bitonic
  }
  clean_vectors<kHalf / 2>(v);
  clean_all_lanes(v);
}

// How many vectors of both halves together a step of `meet` takes, and at what distance the steps
// go on that it leaves to the groups: 4 or 8.
constexpr int met_together(int half) { return half > 2 * kGroup ? 8 : 4; }
constexpr int left_distance(int half) { return half / met_together(half); }

// The first two or three steps of a merge of two runs of kHalf vectors in memory.
template <int kHalf, bool kReverseLanes>
inline void meet(float* d) {
  constexpr int kCount = met_together(kHalf), kApart = 2 * kHalf / kCount;
  for (int i = 0; i < kApart; ++i) {
    Vec v[kCount];
    float* at[kCount];
#pragma GCC unroll 8
    for (int j = 0; j < kCount; ++j) {
      bool high = j >= kCount / 2;
      at[j] = d + (high ? j * kApart + kApart - 1 - i : j * kApart + i) * kLanes;
      v[j] = load(at[j]);
      if (high && kReverseLanes) v[j] = reversed(v[j]);
    }
#pragma GCC unroll 4
    for (int j = 0; j < kCount / 2; ++j) order(v[j], v[kCount - 1 - j]);
    clean_vectors<kCount / 4>(v);
#pragma GCC unroll 8
    for (int j = 0; j < kCount; ++j) store(at[j], v[j]);
  }
}

// Runs of kHalf vectors to runs of twice as many, in memory: columns, or runs of all lanes.
template <int kHalf, bool kRuns>
inline void merge(float* d) {
  meet<kHalf, kRuns>(d);
  for (int g = 0; g < 2 * kHalf; g += kGroup) {
    Vec v[kGroup];
    load_all(v, d + g * kLanes);
    clean_vectors<left_distance(kHalf)>(v);
    if constexpr (kRuns) clean_all_lanes(v);
    store_all(d + g * kLanes, v);
  }
}

// All merges from runs of kHalf vectors on, but for what the last one leaves to the groups.
template <int kHalf, bool kRuns>
inline void merge_up(float* d) {
  if constexpr (2 * kHalf < kVectors) {
    for (int part = 0; part < kVectors; part += 2 * kHalf) merge<kHalf, kRuns>(d + part * kLanes);
    merge_up<2 * kHalf, kRuns>(d);
  } else {
    meet<kHalf, kRuns>(d);
  }
}

void sort_columns(float* to, const float* in) {
  Vec v[kGroup];
  for (int g = 0; g < kVectors; g += kGroup) {
    load_all(v, in + g * kLanes);
    sort_lanes<0, kGroup>(v);
    store_all(to + g * kLanes, v);
  }
  merge_up<kGroup, false>(to);
}

// The columns' last steps; a column becomes a run of kRun vectors.
void columns_to_runs(float* to, const float* from) {
  for (int g = 0; g < kVectors; g += kGroup) {
    Vec v[kGroup];
    load_all(v, from + g * kLanes);
    clean_vectors<left_distance(kVectors / 2)>(v);
#pragma GCC unroll 2
    for (int part = 0; part < kGroup; part += kLanes) {
      Vec square[kLanes];
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) square[i] = v[part + i];
      transpose_square(square);
#pragma GCC unroll 16
      for (int c = 0; c < kLanes; ++c)
        store(to + (c * kRun + (g + part) / kLanes) * kLanes, square[c]);
    }
  }
}

// Runs that are shorter than a group are merged until they fill one.
inline void merge_groups(float* d) {
  if constexpr (kRun < kGroup)
    for (int g = 0; g < kVectors; g += kGroup) {
      Vec v[kGroup];
      load_all(v, d + g * kLanes);
      merge_runs<4>(v);
      merge_runs<8>(v);
      store_all(d + g * kLanes, v);
    }
}

void sort_block(float* out, const float* in) {
  alignas(64) float columns[kBlock], d[kBlock];
  sort_columns(columns, in);
  columns_to_runs(d, columns);
  merge_groups(d);
  merge_up<kGroup, true>(d);
  for (int g = 0; g < kVectors; g += kGroup) {
    Vec v[kGroup];
    load_all(v, d + g * kLanes);
    clean_vectors<left_distance(kVectors / 2)>(v);
    clean_all_lanes(v);
    store_all(out + g * kLanes, v);
  }
}

}  // namespace
}  // namespace cuda_device::bench

void hand_sort_blocks(int threads, float* out, const float* in, int64_t n) {
  using namespace cuda_device::bench;
  parallel_chunks(threads, n / kBlock, kChunk, [=](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b) sort_block(out + b * kBlock, in + b * kBlock);
  });
}
