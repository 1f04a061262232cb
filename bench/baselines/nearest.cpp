// The square of each query's distance to the nearest of turned points: they are turned once, and
// each is compared with so many queries as registers hold. See kernels/nearest_pipeline.py.
#include <vector>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int kVectors = 4;  // of queries, at a time

struct Turned {
  std::vector<float> x, y;
  Turned(const float* points, int64_t n, float sine, float cosine) : x(n), y(n) {
    for (int64_t k = 0; k < n; ++k) {
      x[k] = points[k] * cosine - points[n + k] * sine;
      y[k] = points[k] * sine + points[n + k] * cosine;
    }
  }
};

}  // namespace
}  // namespace cuda_device::bench

// m is a multiple of the queries that registers hold.
void hand_nearest(int threads, float* out, const float* points, const float* queries, float sine,
                  float cosine, int64_t n, int64_t m) {
  using namespace cuda_device::bench;
  const Turned turned(points, n, sine, cosine);
  constexpr int64_t kUnit = int64_t{kVectors} * kLanes;
  parallel_ranges(threads, m, kUnit, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; i += kUnit) {
      Vec x[kVectors], y[kVectors], least[kVectors];
      for (int v = 0; v < kVectors; ++v) {
        x[v] = load(queries + i + v * kLanes);
        y[v] = load(queries + m + i + v * kLanes);
        least[v] = splat(3e38f);
      }
      for (int64_t k = 0; k < n; ++k) {
        const Vec px = splat(turned.x[k]), py = splat(turned.y[k]);
        for (int v = 0; v < kVectors; ++v) {
          const Vec dx = px - x[v], dy = py - y[v];
          least[v] = min(least[v], fma(dx, dx, dy * dy));
        }
      }
      for (int v = 0; v < kVectors; ++v) store(out + i + v * kLanes, least[v]);
    }
  });
}
