// 5x5 correlation, clamped at the border. Four rows of the output share the loads of eight rows of
// the input.
//
// AVX-512 keeps the 25 weights in registers and makes one vector of each row at a time; the
// out-of-order window covers two steps along the rows, which hides the latency of the four chains
// of multiply-adds. AVX2 reads each weight from L1 for the two vectors of a line: eight chains.
#include <algorithm>
#include <cstring>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int kRadius = 2, kTaps = 5;
constexpr int kRows = 4, kInputs = kRows + 2 * kRadius;
constexpr int kVectors = kLineVectors;           // of an output row at a time
constexpr int kHeld = kLanes == 16 ? kTaps : 1;  // taps in registers at a time

struct Image {
  float* out;
  const float* in;
  int64_t width, height;
  bool streams;
};

struct Weights {
  Vec w[kTaps][kTaps];
};

using Sums = Vec[kRows][kVectors];

// `x_taps` sets what kHeld of the taps, from k0 on, read of input row r.
template <class Taps>
inline void correlate(Sums& sum, const Weights& weights, const Taps& x_taps) {
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) sum[i][v] = splat(0);
#pragma GCC unroll 8
  for (int r = 0; r < kInputs; ++r)
#pragma GCC unroll 5
    for (int k0 = 0; k0 < kTaps; k0 += kHeld) {
      Vec tap[kHeld][kVectors];
      x_taps(r, k0, tap);
#pragma GCC unroll 4
      for (int i = 0; i < kRows; ++i) {
        if (r < i || r >= i + kTaps) continue;
#pragma GCC unroll 5
        for (int k = 0; k < kHeld; ++k)
#pragma GCC unroll 2
          for (int v = 0; v < kVectors; ++v)
            sum[i][v] = fma(tap[k][v], weights.w[r - i][k0 + k], sum[i][v]);
      }
    }
}

// The sums of the vectors at `x` of rows that have all their taps.
inline void correlate_rows(Sums& sum, const Weights& weights, const float* const* rows, int64_t x) {
  correlate(sum, weights, [&](int r, int k0, Vec(&tap)[kHeld][kVectors]) {
#pragma GCC unroll 5
    for (int k = 0; k < kHeld; ++k)
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) tap[k][v] = load(rows[r] + x + k0 + k + v * kLanes);
  });
}

template <bool kStream>
inline void put_line(float* out, int64_t pitch, const Sums& sum) {
#pragma GCC unroll 4
  for (int i = 0; i < kRows; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < kVectors; ++v) put<kStream>(out + i * pitch + v * kLanes, sum[i][v]);
}

void put_edge(const Image& p, int64_t y, int64_t x, const Sums& sum) {
  for (int i = 0; i < kRows && y + i < p.height; ++i)
    for (int v = 0; v < kVectors; ++v) {
      int64_t at = x + v * kLanes;
      store_first(p.out + (y + i) * p.width + at, sum[i][v], p.width - at);
    }
}

#if defined(__AVX512F__)

constexpr int64_t kStrip = INT64_MAX;  // columns of a task
constexpr int64_t kChunk = 4 * kRows;  // and its rows

// The vector at `x` of a row where a tap may leave the row: lanes are picked by clamped index.
struct ClampedTaps {
  const float* const* rows;
  int64_t x, width;

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
};

void edge(const Image& p, const Weights& weights, const float* const* rows, int64_t y, int64_t x) {
  Sums sum;
  correlate(sum, weights, ClampedTaps{rows, x, p.width});
  put_edge(p, y, x, sum);
}

template <bool kStream>
void inner(const Image& p, const Weights& weights, const float* const* rows, int64_t y, int64_t x0,
           int64_t x1) {
  const float* from[kInputs];
  for (int r = 0; r < kInputs; ++r) from[r] = rows[r] - kRadius;
  float* out = p.out + y * p.width;
  for (int64_t x = x0; x < x1; x += kLanes) {
    Sums sum;
    correlate_rows(sum, weights, from, x);
    put_line<kStream>(out + x, p.width, sum);
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

void part(const Image& p, const Weights& weights, int64_t y0, int64_t y1, int64_t, int64_t) {
  for (int64_t y = y0; y < y1; y += kRows) four_rows(p, weights, y);
}

#else

// Eight rows of a power-of-two pitch fill all ways of their sets of a 32 KiB cache. So a task takes
// its strip of the input to a ring of rows in L1, clamped, which spares it the edges too.
constexpr int64_t kStrip = 512;  // columns of a task
constexpr int64_t kChunk = 64;   // and its rows

struct Ring {
  alignas(64) float row[kInputs][kStrip + 2 * kLine];  // each begins with a line for its border

  float* at(int64_t y) { return row[y & (kInputs - 1)] + kLine; }

  // Columns [x0, x1) of row y and their borders.
  void fetch(const Image& p, int64_t y, int64_t x0, int64_t x1) {
    const float* from = p.in + std::clamp<int64_t>(y, 0, p.height - 1) * p.width;
    float* to = at(y) - x0;
    for (int64_t x = x0 - kRadius; x < x0; ++x) to[x] = from[std::max<int64_t>(x, 0)];
    std::memcpy(to + x0, from + x0, static_cast<size_t>(x1 - x0) * 4);
    for (int64_t x = x1; x < x1 + kRadius; ++x) to[x] = from[std::min(x, p.width - 1)];
  }
};

void four_rows(const Image& p, const Weights& weights, Ring& ring, int64_t y, int64_t x0,
               int64_t x1) {
  const float* rows[kInputs];
  for (int r = 0; r < kInputs; ++r) rows[r] = ring.at(y + r - kRadius) - kRadius;
  const float* ahead = p.in + (y + kRadius + kRows) * p.width;
  for (int64_t x = x0; x < x1; x += kLine) {
    for (int r = 0; r < kRows; ++r) prefetch_l2(ahead + r * p.width + x);
    Sums sum;
    correlate_rows(sum, weights, rows, x - x0);
    if (x + kLine > x1 || y + kRows > p.height)
      put_edge(p, y, x, sum);
    else if (p.streams)
      put_line<true>(p.out + y * p.width + x, p.width, sum);
    else
      put_line<false>(p.out + y * p.width + x, p.width, sum);
  }
}

void part(const Image& p, const Weights& weights, int64_t y0, int64_t y1, int64_t x0, int64_t x1) {
  Ring ring;
  for (int64_t y = y0 - kRadius; y < y0 + kRadius; ++y) ring.fetch(p, y, x0, x1);
  for (int64_t y = y0; y < y1; y += kRows) {
    for (int64_t r = y + kRadius; r < y + kRadius + kRows; ++r) ring.fetch(p, r, x0, x1);
    four_rows(p, weights, ring, y, x0, x1);
  }
}

#endif

void convolve(int threads, const Image& p, const float* weights) {
  const int64_t strip = std::min(kStrip, p.width), strips = (p.width + strip - 1) / strip;
  parallel_chunks(threads, (p.height + kChunk - 1) / kChunk * strips, 1,
                  [&](int64_t task, int64_t) {
                    Weights w;
                    for (int i = 0; i < kTaps * kTaps; ++i)
                      w.w[i / kTaps][i % kTaps] = splat(weights[i]);
                    int64_t y = task / strips * kChunk, x = task % strips * strip;
                    part(p, w, y, std::min(y + kChunk, p.height), x, std::min(x + strip, p.width));
                    _mm_sfence();
                  });
}

}  // namespace
}  // namespace cuda_device::bench

void hand_convolve(int threads, float* out, const float* in, const float* weights, int64_t width,
                   int64_t height) {
  using namespace cuda_device::bench;
  bool streams = width % kLine == 0 && width * height * 4 >= kStreamBytes;
  convolve(threads, {out, in, width, height, streams}, weights);
}
