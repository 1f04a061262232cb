// C = A B. For each slice of kDepth of the inner dimension, A is packed into panels of kRows rows
// and B into panels of two vectors of columns; the micro-kernel holds a tile of C in registers:
// 14x32 in 28 of AVX-512's 32, 6x16 in 12 of AVX2's 16. The panel of B (32 or 16 KiB) stays in L1,
// those of A stream from L2. Panels are padded with zeros, so that only the stores to C know about
// edges.
#include <algorithm>
#include <cstdlib>
#include <memory>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int kRows = kLanes == 16 ? 14 : 6, kColumns = 2 * kLanes;
constexpr int64_t kDepth = 256;
constexpr int64_t kTaskRows = 84 / kRows, kTaskColumns = 256 / kColumns;  // a task's panels

struct Free {
  void operator()(float* p) const { std::free(p); }
};

// Grows and is kept: an allocation for each call would cost page faults.
struct Buffer {
  std::unique_ptr<float, Free> data;
  int64_t size = 0;

  float* need(int64_t floats) {
    if (floats > size) {
      size = floats;
      data.reset(static_cast<float*>(std::aligned_alloc(64, (floats * 4 + 63) / 64 * 64)));
    }
    return data.get();
  }
};

struct Gemm {
  float* c;
  const float *a, *b;
  int64_t m, n, k;
};

int64_t panels(int64_t extent, int64_t size) { return (extent + size - 1) / size; }

// Rows [kRows*panel, ...) of columns [k0, k0 + depth): the values of a column lie together.
void pack_a(float* to, const Gemm& g, int64_t panel, int64_t k0, int64_t depth) {
  for (int64_t i = 0; i < kRows; ++i) {
    int64_t row = panel * kRows + i;
    const float* from = g.a + row * g.k + k0;
    for (int64_t k = 0; k < depth; ++k) to[k * kRows + i] = row < g.m ? from[k] : 0;
  }
}

void pack_b(float* to, const Gemm& g, int64_t panel, int64_t k0, int64_t depth) {
  int64_t column = panel * kColumns;
  Mask m0 = first_lanes(g.n - column), m1 = first_lanes(g.n - column - kLanes);
  for (int64_t k = 0; k < depth; ++k) {
    const float* from = g.b + (k0 + k) * g.n + column;
    store(to + k * kColumns, load(from, m0));
    store(to + k * kColumns + kLanes, load(from + kLanes, m1));
  }
}

struct Tile {
  float* c;
  int64_t pitch;
  int64_t rows, columns;  // inside C
  bool first;             // sets C; later slices add to it
};

template <class Lanes>
inline void put_sums(const Tile& t, const Vec (&sum)[kRows][2], Lanes m0, Lanes m1) {
#pragma GCC unroll 14
  for (int i = 0; i < kRows; ++i) {
    if (i >= t.rows) return;
    float* c = t.c + i * t.pitch;
    store(c, t.first ? sum[i][0] : add(sum[i][0], load(c, m0)), m0);
    store(c + kLanes, t.first ? sum[i][1] : add(sum[i][1], load(c + kLanes, m1)), m1);
  }
}

void micro_kernel(const Tile& t, const float* a, const float* b, int64_t depth) {
  Vec sum[kRows][2];
#pragma GCC unroll 14
  for (int i = 0; i < kRows; ++i) {
    sum[i][0] = sum[i][1] = splat(0);
    if (i < t.rows) {
      for (int line = 0; line < kColumns; line += kLine) prefetch(t.c + i * t.pitch + line);
    }
  }
  for (int64_t k = 0; k < depth; ++k, a += kRows, b += kColumns) {
    Vec b0 = load(b), b1 = load(b + kLanes);
#pragma GCC unroll 14
    for (int i = 0; i < kRows; ++i) {
      Vec value = splat(a[i]);
      sum[i][0] = fma(value, b0, sum[i][0]);
      sum[i][1] = fma(value, b1, sum[i][1]);
    }
  }
  if (!kFreeMasks && t.columns >= kColumns) return put_sums(t, sum, AllLanes{}, AllLanes{});
  put_sums(t, sum, first_lanes(t.columns), first_lanes(t.columns - kLanes));
}

void slice(int threads, const Gemm& g, int64_t k0, float* a, float* b) {
  int64_t depth = std::min(kDepth, g.k - k0);
  int64_t a_panels = panels(g.m, kRows), b_panels = panels(g.n, kColumns);
  parallel_chunks(threads, a_panels + b_panels, 4, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) {
      if (p < b_panels)
        pack_b(b + p * kColumns * depth, g, p, k0, depth);
      else
        pack_a(a + (p - b_panels) * kRows * depth, g, p - b_panels, k0, depth);
    }
  });
  int64_t down = panels(a_panels, kTaskRows), across = panels(b_panels, kTaskColumns);
  parallel_chunks(threads, down * across, 1, [&](int64_t task, int64_t) {
    int64_t i0 = task % down * kTaskRows, j0 = task / down * kTaskColumns;
    for (int64_t j = j0; j < std::min(j0 + kTaskColumns, b_panels); ++j)
      for (int64_t i = i0; i < std::min(i0 + kTaskRows, a_panels); ++i) {
        int64_t row = i * kRows, column = j * kColumns;
        Tile tile{g.c + row * g.n + column, g.n, g.m - row, g.n - column, k0 == 0};
        micro_kernel(tile, a + i * kRows * depth, b + j * kColumns * depth, depth);
      }
  });
}

void sgemm(int threads, const Gemm& g) {
  static Buffer packed_a, packed_b;
  int64_t depth = std::min(kDepth, g.k);
  float* a = packed_a.need(panels(g.m, kRows) * kRows * depth);
  float* b = packed_b.need(panels(g.n, kColumns) * kColumns * depth);
  for (int64_t k0 = 0; k0 < g.k; k0 += kDepth) slice(threads, g, k0, a, b);
}

}  // namespace
}  // namespace cuda_device::bench

void hand_sgemm(int threads, float* c, const float* a, const float* b, int64_t m, int64_t n,
                int64_t k) {
  cuda_device::bench::sgemm(threads, {c, a, b, m, n, k});
}
