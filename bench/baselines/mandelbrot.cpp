// Escape iterations. K vectors run together to hide the latency of the dependent multiply-adds:
// each holds some pixels of a row, the K rows lie under each other, so that neighbours, which
// escape at about the same time, share a loop. The arithmetic is the kernel's: |z|^2 = x*x + y*y,
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
void escape_counts(const Vec (&cx)[K], const Vec (&cy)[K], int32_t limit, Ints (&counts)[K]) {
  Vec x[K], y[K];
  Ints count[K];  // not `counts` itself, which gcc would store in every iteration
  for (int k = 0; k < K; ++k) {
    x[k] = y[k] = splat(0);
    count[k] = splat_int(0);
  }
  for (int32_t n = 0; n < limit; ++n) {
    Mask any = no_lanes();
    for (int k = 0; k < K; ++k) {
      Vec y2 = mul(y[k], y[k]);
      Mask inside = at_most(fma(x[k], x[k], y2), splat(4));
      // A lane that has left keeps running; it can come back only through infinity, never to <= 4.
      count[k] = one_more(count[k], inside);
      Vec twice = add(x[k], x[k]);
      x[k] = add(fms(x[k], x[k], y2), cx[k]);
      y[k] = fma(twice, y[k], cy[k]);
      any = either(any, inside);
    }
    if (none(any)) break;
  }
  for (int k = 0; k < K; ++k) counts[k] = count[k];
}

template <int K>
void patch(const Image& p, int64_t column, int64_t row) {
  Vec px = add(splat(static_cast<float>(column)), lane_floats());
  Vec cx[K], cy[K];
  Ints count[K];
  for (int k = 0; k < K; ++k) {
    cx[k] = fma(px, splat(p.dx), splat(p.x0));
    cy[k] = fma(splat(static_cast<float>(row + k)), splat(p.dy), splat(p.y0));
  }
  escape_counts<K>(cx, cy, p.limit, count);
  for (int k = 0; k < K && row + k < p.height; ++k)
    store_first(p.out + (row + k) * p.width + column, count[k], p.width - column);
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
