// Transpose. A strip of 32 rows is walked along its rows, 16 columns at a time: 32 streams are read
// a line each, and 16 runs of two lines written. Rows of a power-of-two pitch share cache sets and
// defeat the hardware's prefetch, so lines are asked for ahead.
#include <algorithm>

#include "baselines.h"
#include "lanes.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int64_t kStrip = 32;          // rows of the input
constexpr int64_t kAhead = 2 * kLanes;  // floats between a line and its prefetch
constexpr int64_t kColumns = 512;       // of a task

struct Matrix {
  float* out;
  const float* in;
  int64_t width, height;
};

template <bool kStream>
inline void whole_tile(const Matrix& p, int64_t row, int64_t column) {
  Vec r[16];
  const float* in = p.in + row * p.width + column;
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    r[i] = load(in + i * p.width);
    _mm_prefetch(reinterpret_cast<const char*>(in + i * p.width + kAhead), _MM_HINT_T0);
  }
  transpose16(r);
  float* out = p.out + column * p.height + row;
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    if (kStream)
      stream(out + i * p.height, r[i]);
    else
      store(out + i * p.height, r[i]);
  }
}

void edge_tile(const Matrix& p, int64_t row, int64_t column) {
  Vec r[16];
  int64_t rows = std::min<int64_t>(16, p.height - row);
  int64_t columns = std::min<int64_t>(16, p.width - column);
  for (int i = 0; i < 16; ++i)
    r[i] = i < rows ? load(p.in + (row + i) * p.width + column, first_lanes(columns)) : splat(0);
  transpose16(r);
  for (int i = 0; i < columns; ++i)
    store(p.out + (column + i) * p.height + row, r[i], first_lanes(rows));
}

template <bool kStream>
void transpose_part(const Matrix& p, int64_t row0, int64_t column0) {
  int64_t row1 = std::min(row0 + kStrip, p.height);
  int64_t column1 = std::min(column0 + kColumns, p.width);
  for (int64_t column = column0; column < column1; column += kLanes)
    for (int64_t row = row0; row < row1; row += kLanes) {
      if (row + kLanes <= p.height && column + kLanes <= p.width)
        whole_tile<kStream>(p, row, column);
      else
        edge_tile(p, row, column);
    }
  if (kStream) _mm_sfence();
}

void transpose(int threads, const Matrix& p) {
  int64_t strips = (p.height + kStrip - 1) / kStrip, parts = (p.width + kColumns - 1) / kColumns;
  bool streams = p.height % kLanes == 0 && p.width * p.height * 4 >= kStreamBytes;
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
