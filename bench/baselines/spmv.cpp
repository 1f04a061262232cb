// Sparse matrix (CSR) times vector. The products of a run of rows are made without regard to rows,
// a vector at a time, into a buffer in L1; then as many rows as a vector has lanes are summed from
// there.
#include <algorithm>

#include "baselines.h"
#include "lanes.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int64_t kRows = 128;       // at most, of a run
constexpr int64_t kProducts = 4096;  // at most, of a run of more than one row
constexpr int64_t kChunk = 2048;     // rows a thread takes at a time
constexpr int64_t kAhead = 256;      // entries between a load and its prefetch

struct Sparse {
  float* y;
  const int32_t *row_start, *column;
  const float *value, *x;
};

#if defined(__AVX512F__)

inline Vec gathered(const Sparse& s, int64_t k, Mask m) {
  __m512i column = _mm512_maskz_loadu_epi32(m, s.column + k);
  return _mm512_mask_i32gather_ps(splat(0), m, column, s.x, 4);
}

inline Vec gathered(const Sparse& s, int64_t k, AllLanes) { return gathered(s, k, Mask{0xffff}); }

#else

inline Vec gathered(const Sparse& s, int64_t k, Mask m) {
  Ints column = _mm256_maskload_epi32(s.column + k, m);
  return _mm256_mask_i32gather_ps(splat(0), s.x, column, _mm256_castsi256_ps(m), 4);
}

// Eight loads, which AVX2's gather is made of too where it is fast.
inline Vec gathered(const Sparse& s, int64_t k, AllLanes) {
  const int32_t* at = s.column + k;
  return _mm256_setr_ps(s.x[at[0]], s.x[at[1]], s.x[at[2]], s.x[at[3]], s.x[at[4]], s.x[at[5]],
                        s.x[at[6]], s.x[at[7]]);
}

#endif

template <class Lanes>
inline Vec products(const Sparse& s, int64_t k, Lanes m) {
  return mul(gathered(s, k, m), load(s.value + k, m));
}

void make_products(float* to, const Sparse& s, int64_t first, int64_t last) {
  int64_t k = first;
  for (; k + kLanes <= last; k += kLanes, to += kLanes) {
    prefetch(reinterpret_cast<const float*>(s.column + k + kAhead));
    prefetch(s.value + k + kAhead);
    store(to, products(s, k, AllLanes{}));
  }
  store(to, products(s, k, first_lanes(last - k)));
}

// The first vectors are taken without a branch, which rows of many lengths would mispredict.
inline Vec row_vector(const float* p, int64_t n) {
  constexpr int kFirst = kLanes == 16 ? 1 : 3;
  Vec sum = load(p, first_lanes(n));
#pragma GCC unroll 2
  for (int k = 1; k < kFirst; ++k)
    sum = add(sum, load(p + k * kLanes, first_lanes(n - k * kLanes)));
  for (int64_t k = kFirst * kLanes; k < n; k += kLanes)
    sum = add(sum, load(p + k, first_lanes(n - k)));
  return sum;
}

// A row of any length.
float long_row(const Sparse& s, int64_t first, int64_t last) {
  Vec sum = splat(0);
  for (int64_t k = first; k < last; k += kLanes)
    sum = add(sum, products(s, k, first_lanes(last - k)));
  return sum_of_lanes(sum);
}

void run_of_rows(const Sparse& s, int64_t row, int64_t end) {
  alignas(64) float buffer[kProducts + kLanes];
  const int32_t* start = s.row_start;
  const float* p = buffer - start[row];
  make_products(buffer, s, start[row], start[end]);
  for (; row < end; row += kLanes) {
    Vec sums[kLanes];
    int64_t rows = std::min<int64_t>(kLanes, end - row);
    for (int i = 0; i < kLanes; ++i)
      sums[i] =
          i < rows ? row_vector(p + start[row + i], start[row + i + 1] - start[row + i]) : splat(0);
    store_first(s.y + row, row_sums(sums), rows);
  }
}

void spmv_range(const Sparse& s, int64_t first, int64_t last) {
  for (int64_t row = first; row < last;) {
    int64_t end = std::min(row + kRows, last);
    while (end > row + 1 && s.row_start[end] - s.row_start[row] > kProducts)
      end = row + (end - row) / 2;
    if (s.row_start[end] - s.row_start[row] > kProducts)
      s.y[row] = long_row(s, s.row_start[row], s.row_start[end]);
    else
      run_of_rows(s, row, end);
    row = end;
  }
}

}  // namespace
}  // namespace cuda_device::bench

void hand_spmv(int threads, float* y, const int32_t* row_start, const int32_t* column,
               const float* value, const float* x, int64_t rows) {
  using namespace cuda_device::bench;
  Sparse s{y, row_start, column, value, x};
  parallel_chunks(threads, rows, kChunk,
                  [&](int64_t first, int64_t last) { spmv_range(s, first, last); });
}
