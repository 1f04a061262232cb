// 5x5 correlation, clamped at the border. The 25 weights stay in registers; four rows of the output
// share the loads of eight rows of the input. The out-of-order window covers two steps along the
// rows, which hides the latency of the four chains of multiply-adds.
#include <algorithm>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int kRadius = 2, kTaps = 5;
constexpr int kRows = 4, kInputs = kRows + 2 * kRadius;
constexpr int64_t kChunk = 4 * kRows;  // rows a thread takes at a time

struct Image {
  float* out;
  const float* in;
  int64_t width, height;
  bool streams;
};

struct Weights {
  Vec w[kTaps][kTaps];
};

// `x_taps` sets the five vectors of an input row that the taps of one output vector read.
template <class Taps>
inline void correlate(Vec (&sum)[kRows], const Weights& weights, const Taps& x_taps) {
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i) sum[i] = splat(0);
#pragma GCC unroll 8
  for (int r = 0; r < kInputs; ++r) {
    Vec tap[kTaps];
    x_taps(r, tap);
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) {
      if (r < i || r >= i + kTaps) continue;
#pragma GCC unroll 5
      for (int k = 0; k < kTaps; ++k) sum[i] = fma(tap[k], weights.w[r - i][k], sum[i]);
    }
  }
}

// The vector at `x` of a row where a tap may leave the row: lanes are picked by clamped index.
struct ClampedTaps {
  const float* const* rows;
  int64_t x, width;

  void operator()(int r, Vec (&tap)[kTaps]) const {
    const int64_t base = std::max<int64_t>(x - kRadius, 0);
    Vec low = load(rows[r] + base, first_lanes(width - base));
    Vec high = load(rows[r] + base + kLanes, first_lanes(width - base - kLanes));
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i first = _mm512_setzero_si512();
    const __m512i last =
        _mm512_set1_epi32(static_cast<int>(std::min<int64_t>(width - 1 - base, 31)));
    for (int k = 0; k < kTaps; ++k) {
      __m512i at =
          _mm512_add_epi32(lane, _mm512_set1_epi32(static_cast<int>(x + k - kRadius - base)));
      at = _mm512_min_epi32(_mm512_max_epi32(at, first), last);
      tap[k] = _mm512_permutex2var_ps(low, at, high);
    }
  }
};

void edge(const Image& p, const Weights& weights, const float* const* rows, int64_t y, int64_t x) {
  Vec sum[kRows];
  correlate(sum, weights, ClampedTaps{rows, x, p.width});
  for (int i = 0; i < kRows && y + i < p.height; ++i)
    store(p.out + (y + i) * p.width + x, sum[i], first_lanes(p.width - x));
}

template <bool kStream>
void inner(const Image& p, const Weights& weights, const float* const* rows, int64_t y, int64_t x0,
           int64_t x1) {
  const float* from[kInputs];
  for (int r = 0; r < kInputs; ++r) from[r] = rows[r] - kRadius;
  float* out = p.out + y * p.width;
  for (int64_t x = x0; x < x1; x += kLanes) {
    Vec sum[kRows];
    correlate(sum, weights, [&](int r, Vec(&tap)[kTaps]) {
#pragma GCC unroll 5
      for (int k = 0; k < kTaps; ++k) tap[k] = load(from[r] + x + k);
    });
#pragma GCC unroll 4
    for (int i = 0; i < kRows; ++i) {
      if (kStream)
        stream(out + i * p.width + x, sum[i]);
      else
        store(out + i * p.width + x, sum[i]);
    }
  }
}

void four_rows(const Image& p, const Weights& weights, int64_t y) {
  const float* rows[kInputs];
  for (int r = 0; r < kInputs; ++r)
    rows[r] = p.in + std::clamp<int64_t>(y + r - kRadius, 0, p.height - 1) * p.width;
  edge(p, weights, rows, y, 0);
  int64_t x = kLanes;
  if (y + kRows <= p.height) {
    // The last vector whose taps stay in the row ends two before its end.
    int64_t end = x + std::max<int64_t>(0, (p.width - kRadius - x) / kLanes * kLanes);
    p.streams ? inner<true>(p, weights, rows, y, x, end)
              : inner<false>(p, weights, rows, y, x, end);
    x = end;
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
