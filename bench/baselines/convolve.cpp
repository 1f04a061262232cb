// 5x5 correlation, clamped at the border. Four rows of the output share the loads of eight rows of
// the input. AVX-512 keeps the 25 weights in registers and makes one vector of each row at a time;
// the out-of-order window covers two steps along the rows, which hides the latency of the four
// chains of multiply-adds. AVX2 reads each weight from L1 for three vectors of a row: twelve
// chains.
#include <algorithm>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int kRadius = 2, kTaps = 5;
constexpr int kRows = 4, kInputs = kRows + 2 * kRadius;
constexpr int kVectors = kLanes == 16 ? 1 : 3;  // of each output row at a time
constexpr int64_t kChunk = 4 * kRows;           // rows a thread takes at a time

struct Image {
  float* out;
  const float* in;
  int64_t width, height;
  bool streams;
};

struct Weights {
  Vec w[kTaps][kTaps];
};

// kCount vectors of each output row. `x_taps` sets what kHeld of the taps, from k0 on, read of
// input row r.
template <int kCount, int kHeld, class Taps>
inline void correlate(Vec (&sum)[kRows][kCount], const Weights& weights, const Taps& x_taps) {
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 3
    for (int v = 0; v < kCount; ++v) sum[i][v] = splat(0);
#pragma GCC unroll 8
  for (int r = 0; r < kInputs; ++r)
#pragma GCC unroll 5
    for (int k0 = 0; k0 < kTaps; k0 += kHeld) {
      Vec tap[kHeld][kCount];
      x_taps(r, k0, tap);
#pragma GCC unroll 4
      for (int i = 0; i < kRows; ++i) {
        if (r < i || r >= i + kTaps) continue;
#pragma GCC unroll 5
        for (int k = 0; k < kHeld; ++k)
#pragma GCC unroll 3
          for (int v = 0; v < kCount; ++v)
            sum[i][v] = fma(tap[k][v], weights.w[r - i][k0 + k], sum[i][v]);
      }
    }
}

// The vector at `x` of a row where a tap may leave the row: lanes are picked by clamped index.
struct ClampedTaps {
  const float* const* rows;
  int64_t x, width;

#if defined(__AVX512F__)
  void operator()(int r, int, Vec (&tap)[kTaps][1]) const {
    const int64_t base = std::max<int64_t>(x - kRadius, 0);
    Vec low = load(rows[r] + base, first_lanes(width - base));
    Vec high = load(rows[r] + base + kLanes, first_lanes(width - base - kLanes));
    const Ints first = splat_int(0);
    const Ints last = splat_int(static_cast<int>(std::min<int64_t>(width - 1 - base, 31)));
    for (int k = 0; k < kTaps; ++k) {
      Ints at = add(lane_numbers(), splat_int(static_cast<int>(x + k - kRadius - base)));
      at = _mm512_min_epi32(_mm512_max_epi32(at, first), last);
      tap[k][0] = _mm512_permutex2var_ps(low, at, high);
    }
  }
#else
  void operator()(int r, int, Vec (&tap)[kTaps][1]) const {
    float near[kLanes + 2 * kRadius];
    for (int i = 0; i < kLanes + 2 * kRadius; ++i)
      near[i] = rows[r][std::clamp<int64_t>(x - kRadius + i, 0, width - 1)];
    for (int k = 0; k < kTaps; ++k) tap[k][0] = load(near + k);
  }
#endif
};

void edge(const Image& p, const Weights& weights, const float* const* rows, int64_t y, int64_t x) {
  Vec sum[kRows][1];
  correlate<1, kTaps>(sum, weights, ClampedTaps{rows, x, p.width});
  for (int i = 0; i < kRows && y + i < p.height; ++i)
    store(p.out + (y + i) * p.width + x, sum[i][0], first_lanes(p.width - x));
}

// From x0 on as many vectors of four rows, kCount at a time, as end before x1; returns where it
// ends.
template <bool kStream, int kCount>
int64_t inner(const Image& p, const Weights& weights, const float* const* rows, int64_t y,
              int64_t x0, int64_t x1) {
  const float* from[kInputs];
  for (int r = 0; r < kInputs; ++r) from[r] = rows[r] - kRadius;
  float* out = p.out + y * p.width;
  int64_t x = x0;
  for (; x + kCount * kLanes <= x1; x += kCount * kLanes) {
    constexpr int kHeld = kCount == 1 ? kTaps : 1;
    Vec sum[kRows][kCount];
    correlate<kCount, kHeld>(sum, weights, [&](int r, int k0, Vec(&tap)[kHeld][kCount]) {
#pragma GCC unroll 5
      for (int k = 0; k < kHeld; ++k)
#pragma GCC unroll 3
        for (int v = 0; v < kCount; ++v) tap[k][v] = load(from[r] + x + k0 + k + v * kLanes);
    });
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 3
      for (int v = 0; v < kCount; ++v) put<kStream>(out + i * p.width + x + v * kLanes, sum[i][v]);
  }
  return x;
}

template <bool kStream>
int64_t inner(const Image& p, const Weights& weights, const float* const* rows, int64_t y,
              int64_t x0, int64_t x1) {
  if constexpr (kVectors > 1) x0 = inner<kStream, kVectors>(p, weights, rows, y, x0, x1);
  return inner<kStream, 1>(p, weights, rows, y, x0, x1);
}

void four_rows(const Image& p, const Weights& weights, int64_t y) {
  const float* rows[kInputs];
  for (int r = 0; r < kInputs; ++r)
    rows[r] = p.in + std::clamp<int64_t>(y + r - kRadius, 0, p.height - 1) * p.width;
  edge(p, weights, rows, y, 0);
  int64_t x = kLanes;
  if (y + kRows <= p.height) {
    int64_t end = p.width - kRadius;  // the taps of the vectors before it stay in the row
    x = p.streams ? inner<true>(p, weights, rows, y, x, end)
                  : inner<false>(p, weights, rows, y, x, end);
  }
  for (; x < p.width; x += kLanes) edge(p, weights, rows, y, x);
}

void convolve(int threads, const Image& p, const float* weights) {
  parallel_chunks(threads, p.height, kChunk, [&](int64_t first, int64_t last) {
    Weights w;
    for (int i = 0; i < kTaps * kTaps; ++i) w.w[i / kTaps][i % kTaps] = splat(weights[i]);
    for (int64_t y = first; y < last; y += kRows) four_rows(p, w, y);
    _mm_sfence();
  });
}

}  // namespace
}  // namespace cuda_device::bench

void hand_convolve(int threads, float* out, const float* in, const float* weights, int64_t width,
                   int64_t height) {
  using namespace cuda_device::bench;
  bool streams = width % kLanes == 0 && width * height * 4 >= kStreamBytes;
  convolve(threads, {out, in, width, height, streams}, weights);
}
