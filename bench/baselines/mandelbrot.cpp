// Escape iterations. K vectors run together to hide the latency of the dependent multiply-adds:
// each holds 16 pixels of a row, the K rows lie under each other, so that neighbours, which escape
// at about the same time, share a loop. The arithmetic is the kernel's: |z|^2 = x*x + y*y,
// x' = (x*x - y*y) + cx, y' = 2*x*y + cy, each product that meets a sum fused with it.
#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

struct Image {
  int32_t* out;
  int64_t width, height;
  float x0, y0, dx, dy;
  int32_t limit;
};

template <int K>
void escape_counts(const Vec (&cx)[K], const Vec (&cy)[K], int32_t limit, __m512i (&count)[K]) {
  Vec x[K], y[K];
  for (int k = 0; k < K; ++k) {
    x[k] = y[k] = splat(0);
    count[k] = _mm512_setzero_si512();
  }
  const __m512i one = _mm512_set1_epi32(1);
  for (int32_t n = 0; n < limit; ++n) {
    __mmask16 any = 0;
    for (int k = 0; k < K; ++k) {
      Vec y2 = mul(y[k], y[k]);
      __mmask16 inside = _mm512_cmp_ps_mask(fma(x[k], x[k], y2), splat(4), _CMP_LE_OQ);
      // A lane that has left keeps running; it can come back only through infinity, never to <= 4.
      count[k] = _mm512_mask_add_epi32(count[k], inside, count[k], one);
      Vec twice = add(x[k], x[k]);
      x[k] = add(fms(x[k], x[k], y2), cx[k]);
      y[k] = fma(twice, y[k], cy[k]);
      any = _kor_mask16(any, inside);
    }
    if (_kortestz_mask16_u8(any, any)) break;
  }
}

template <int K>
void patch(const Image& p, int64_t column, int64_t row) {
  const Vec lane = _mm512_set_ps(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  Vec px = add(splat(static_cast<float>(column)), lane);
  Vec cx[K], cy[K];
  __m512i count[K];
  for (int k = 0; k < K; ++k) {
    cx[k] = fma(px, splat(p.dx), splat(p.x0));
    cy[k] = fma(splat(static_cast<float>(row + k)), splat(p.dy), splat(p.y0));
  }
  escape_counts<K>(cx, cy, p.limit, count);
  __mmask16 m = first_lanes(p.width - column);
  for (int k = 0; k < K && row + k < p.height; ++k)
    _mm512_mask_storeu_epi32(p.out + (row + k) * p.width + column, m, count[k]);
}

template <int K>
void mandelbrot(int threads, const Image& p) {
  parallel_chunks(threads, (p.height + K - 1) / K, 1, [&p](int64_t first, int64_t last) {
    for (int64_t band = first; band < last; ++band)
      for (int64_t column = 0; column < p.width; column += kLanes) patch<K>(p, column, band * K);
  });
}

}  // namespace
}  // namespace cuda_device::bench

void hand_mandelbrot_x2(int threads, int32_t* out, int64_t width, int64_t height, float x0,
                        float y0, float dx, float dy, int32_t limit) {
  cuda_device::bench::mandelbrot<2>(threads, {out, width, height, x0, y0, dx, dy, limit});
}

void hand_mandelbrot_x4(int threads, int32_t* out, int64_t width, int64_t height, float x0,
                        float y0, float dx, float dy, int32_t limit) {
  cuda_device::bench::mandelbrot<4>(threads, {out, width, height, x0, y0, dx, dy, limit});
}
