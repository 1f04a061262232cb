// Transpose. A strip of 32 rows is walked along its rows, a vector of columns at a time: 32 streams
// are read a vector each, and as many runs of two lines written as a vector has lanes. Rows of a
// power-of-two pitch share cache sets and defeat the hardware's prefetch, so lines are prefetched
// by instructions.
#include <algorithm>

#include "baselines.h"
#include "lanes.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int64_t kStrip = 32;         // rows of the input
constexpr int64_t kAhead = 2 * kLine;  // floats between a line and its prefetch
constexpr int64_t kColumns = 512;      // of a task

struct Matrix {
  float* out;
  const float* in;
  int64_t width, height;
};

// A line's rows, a vector's columns: whole lines are written.
template <bool kStream>
inline void whole_tile(const Matrix& p, int64_t row, int64_t column) {
  Vec r[kLineVectors][kLanes];
#pragma GCC unroll 2
  for (int v = 0; v < kLineVectors; ++v) {
    const float* in = p.in + (row + v * kLanes) * p.width + column;
#pragma GCC unroll 16
    for (int i = 0; i < kLanes; ++i) {
      r[v][i] = load(in + i * p.width);
      prefetch(in + i * p.width + kAhead);
    }
    transpose_square(r[v]);
  }
  float* out = p.out + column * p.height + row;
#pragma GCC unroll 16
  for (int i = 0; i < kLanes; ++i)
#pragma GCC unroll 2
    for (int v = 0; v < kLineVectors; ++v) put<kStream>(out + i * p.height + v * kLanes, r[v][i]);
}

void edge_tile(const Matrix& p, int64_t row, int64_t column) {
  Vec r[kLanes];
  int64_t rows = std::min<int64_t>(kLanes, p.height - row);
  int64_t columns = std::min<int64_t>(kLanes, p.width - column);
  for (int i = 0; i < kLanes; ++i)
    r[i] = i < rows ? load(p.in + (row + i) * p.width + column, first_lanes(columns)) : splat(0);
  transpose_square(r);
  for (int i = 0; i < columns; ++i)
    store(p.out + (column + i) * p.height + row, r[i], first_lanes(rows));
}

template <bool kStream>
void transpose_part(const Matrix& p, int64_t row0, int64_t column0) {
  int64_t row1 = std::min(row0 + kStrip, p.height);
  int64_t column1 = std::min(column0 + kColumns, p.width);
  for (int64_t column = column0; column < column1; column += kLanes)
    for (int64_t row = row0; row < row1; row += kLine) {
      if (row + kLine <= p.height && column + kLanes <= p.width)
        whole_tile<kStream>(p, row, column);
      else
        for (int64_t r = row; r < std::min(row + kLine, row1); r += kLanes) edge_tile(p, r, column);
    }
  if (kStream) _mm_sfence();
}

void transpose(int threads, const Matrix& p) {
  int64_t strips = (p.height + kStrip - 1) / kStrip, parts = (p.width + kColumns - 1) / kColumns;
  bool streams = p.height % kLine == 0 && p.width * p.height * 4 >= kStreamBytes;
  parallel_chunks(threads, strips * parts, 1, [&](int64_t task, int64_t) {
    int64_t row = task / parts * kStrip, column = task % parts * kColumns;
    streams ? transpose_part<true>(p, row, column) : transpose_part<false>(p, row, column);
  });
}

}  // namespace
}  // namespace cuda_device::bench

void hand_transpose(int threads, float* out, const float* in, int64_t width, int64_t height) {
  cuda_device::bench::transpose(threads, {out, in, width, height});
}
