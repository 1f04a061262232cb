// Sorts blocks of 1024. The 16 lanes are sorted as columns of 64, without shuffles; a transpose
// makes them 16 sorted runs, which bitonic merges join two by two. A merge's first step meets one
// run with the other reversed, so every run ascends and no step needs a direction.
#include <cstdint>

#include "baselines.h"
#include "lanes.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int64_t kBlock = 1024;
constexpr int64_t kChunk = 4;  // blocks a thread takes at a time

// Where both are zeros each instruction returns its second operand: none is lost.
inline void order(Vec& a, Vec& b) {
  Vec low = _mm512_min_ps(a, b);
  b = _mm512_max_ps(b, a);
  a = low;
}

inline Vec reversed(Vec x) {
  return _mm512_permutexvar_ps(
      _mm512_set_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), x);
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

// Batcher's odd-even merge sort of 16 vectors, lane by lane: 63 exchanges.
template <int kFirst, int kCount, int kStep>
inline void odd_even_merge(Vec (&v)[16]) {
  if constexpr (2 * kStep < kCount) {
    odd_even_merge<kFirst, kCount, 2 * kStep>(v);
    odd_even_merge<kFirst + kStep, kCount, 2 * kStep>(v);
#pragma GCC unroll 8
    for (int i = kFirst + kStep; i + kStep < kFirst + kCount; i += 2 * kStep)
      order(v[i], v[i + kStep]);
  } else {
    order(v[kFirst], v[kFirst + kStep]);
  }
}

template <int kFirst, int kCount>
inline void sort_columns(Vec (&v)[16]) {
  if constexpr (kCount > 1) {
    sort_columns<kFirst, kCount / 2>(v);
    sort_columns<kFirst + kCount / 2, kCount / 2>(v);
    odd_even_merge<kFirst, kCount, 1>(v);
  }
}

// Bitonic steps over whole vectors at distances kDistance, kDistance / 2, ... 1.
template <int kDistance>
inline void clean_vectors(Vec (&v)[16]) {
  if constexpr (kDistance > 0) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i)
      if ((i & kDistance) == 0) order(v[i], v[i + kDistance]);
    clean_vectors<kDistance / 2>(v);
  }
}

// Bitonic steps at distances 8, 4, 2, 1 inside two vectors: two shuffles bring partners to equal
// lanes of both, and the next step's shuffles start from there.
inline void clean_lanes(Vec& a, Vec& b) {
  Vec low = _mm512_shuffle_f32x4(a, b, 0x44), high = _mm512_shuffle_f32x4(a, b, 0xee);
  order(low, high);
  Vec p = even_quarters(low, high), q = odd_quarters(low, high);
  order(p, q);
  low = _mm512_shuffle_ps(p, q, 0x44), high = _mm512_shuffle_ps(p, q, 0xee);
  order(low, high);
  p = _mm512_shuffle_ps(low, high, 0x88), q = _mm512_shuffle_ps(low, high, 0xdd);
  order(p, q);
  const __m512i first = _mm512_setr_epi32(0, 16, 2, 18, 1, 17, 3, 19, 8, 24, 10, 26, 9, 25, 11, 27);
  const __m512i second =
      _mm512_setr_epi32(4, 20, 6, 22, 5, 21, 7, 23, 12, 28, 14, 30, 13, 29, 15, 31);
  a = _mm512_permutex2var_ps(p, first, q);
  b = _mm512_permutex2var_ps(p, second, q);
}

inline void clean_all_lanes(Vec (&v)[16]) {
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) clean_lanes(v[i], v[i + 1]);
}

// Runs of kHalf vectors to runs of twice as many, inside 16 vectors.
template <int kHalf>
inline void merge_runs(Vec (&v)[16]) {
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    if ((i & kHalf) != 0) continue;
    int partner = i ^ (2 * kHalf - 1);
    Vec high = reversed(v[partner]);
    order(v[i], high);
    v[partner] = high;  // lanes stay reversed: still bitonic
  }
  clean_vectors<kHalf / 2>(v);
  clean_all_lanes(v);
}

// The first two steps of a merge of two runs of kHalf vectors in memory.
template <int kHalf, bool kReverseLanes>
inline void meet(float* d) {
  for (int i = 0; i < kHalf / 2; ++i) {
    float* at[4] = {d + i * kLanes, d + (i + kHalf / 2) * kLanes,
                    d + (2 * kHalf - 1 - kHalf / 2 - i) * kLanes, d + (2 * kHalf - 1 - i) * kLanes};
    Vec a = load(at[0]), b = load(at[1]), c = load(at[2]), e = load(at[3]);
    if constexpr (kReverseLanes) c = reversed(c), e = reversed(e);
    order(a, e);
    order(b, c);
    order(a, b);
    order(c, e);
    store(at[0], a), store(at[1], b), store(at[2], c), store(at[3], e);
  }
}

// 64 vectors: each lane's column in order.
void sort_long_columns(float* to, const float* in) {
  Vec v[16];
  for (int g = 0; g < 4; ++g) {
    load_all(v, in + g * 256);
    sort_columns<0, 16>(v);
    store_all(to + g * 256, v);
  }
  for (int half = 0; half < 2; ++half) {
    float* d = to + half * 512;
    meet<16, false>(d);
    for (int g = 0; g < 2; ++g) {
      load_all(v, d + g * 256);
      clean_vectors<4>(v);
      store_all(d + g * 256, v);
    }
  }
  meet<32, false>(to);
}

// The columns' last steps; column c becomes the run of vectors 4c ... 4c + 3.
void columns_to_runs(float* to, const float* from) {
  Vec v[16];
  for (int g = 0; g < 4; ++g) {
    load_all(v, from + g * 256);
    clean_vectors<8>(v);
    transpose16(v);
#pragma GCC unroll 16
    for (int c = 0; c < 16; ++c) store(to + (4 * c + g) * kLanes, v[c]);
  }
}

void sort_block(float* out, const float* in) {
  alignas(64) float columns[kBlock], d[kBlock];
  Vec v[16];
  sort_long_columns(columns, in);
  columns_to_runs(d, columns);
  for (int g = 0; g < 4; ++g) {
    load_all(v, d + g * 256);
    merge_runs<4>(v);
    merge_runs<8>(v);
    store_all(d + g * 256, v);
  }
  for (int half = 0; half < 2; ++half) {
    meet<16, true>(d + half * 512);
    for (int g = 0; g < 2; ++g) {
      float* part = d + half * 512 + g * 256;
      load_all(v, part);
      clean_vectors<4>(v);
      clean_all_lanes(v);
      store_all(part, v);
    }
  }
  meet<32, true>(d);
  for (int g = 0; g < 4; ++g) {
    load_all(v, d + g * 256);
    clean_vectors<8>(v);
    clean_all_lanes(v);
    store_all(out + g * 256, v);
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
