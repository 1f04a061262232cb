// The nearest of some spheres that a ray from the eye meets, and its light: a ray a lane, two
// vectors of rays for each sphere, which is broadcast.
#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int kVectors = 2;
constexpr int kSphere = 5;  // floats: centre, squared radius, brightness

struct Hits {
  Vec distance[kVectors];
  Vec x[kVectors], y[kVectors], z[kVectors], shade[kVectors];  // of the nearest sphere
};

struct Rays {
  Vec x[kVectors], y[kVectors], z[kVectors];
};

inline Rays rays_at(int64_t column, int64_t row, int64_t width, int64_t height) {
  const float scale = 2.0f / static_cast<float>(height);
  Rays r;
  for (int v = 0; v < kVectors; ++v) {
    Vec px = add(splat(static_cast<float>(column + v * kLanes)), lane_floats());
    Vec x = mul(sub(px, splat(0.5f * static_cast<float>(width))), splat(scale));
    float y = (static_cast<float>(row) - 0.5f * static_cast<float>(height)) * scale;
    Vec inverse = div(splat(1), sqrt(fma(x, x, splat(y * y + 1))));
    r.x[v] = mul(x, inverse);
    r.y[v] = mul(splat(y), inverse);
    r.z[v] = inverse;
  }
  return r;
}

// The eye is at the origin: t = b - sqrt(b^2 - c), with b = centre . ray, c = |centre|^2 - r^2.
inline void meet(Hits& h, const Rays& r, const float* s) {
  const Vec x = splat(s[0]), y = splat(s[1]), z = splat(s[2]);
  const Vec c = splat(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] - s[3]);
  for (int v = 0; v < kVectors; ++v) {
    Vec b = fma(r.x[v], x, fma(r.y[v], y, mul(r.z[v], z)));
    Vec rest = fms(b, b, c);
    Vec t = sub(b, sqrt(max(rest, splat(0))));
#if defined(__AVX512F__)
    Mask nearer = less(splat(0), rest) & less(splat(0), t) & less(t, h.distance[v]);
#else
    Mask nearer = _mm256_and_si256(_mm256_and_si256(less(splat(0), rest), less(splat(0), t)),
                                   less(t, h.distance[v]));
#endif
    h.distance[v] = choose(nearer, t, h.distance[v]);
    h.x[v] = choose(nearer, x, h.x[v]);
    h.y[v] = choose(nearer, y, h.y[v]);
    h.z[v] = choose(nearer, z, h.z[v]);
    h.shade[v] = choose(nearer, splat(s[4]), h.shade[v]);
  }
}

// Brightness times the cosine between normal and light, which comes from (-1, -1, -1) / sqrt(3).
inline Vec light(const Hits& h, const Rays& r, int v) {
  Vec x = fms(h.distance[v], r.x[v], h.x[v]), y = fms(h.distance[v], r.y[v], h.y[v]);
  Vec z = fms(h.distance[v], r.z[v], h.z[v]);
  Vec length = sqrt(fma(x, x, fma(y, y, mul(z, z))));
  Vec cosine = div(mul(add(x, add(y, z)), splat(-0.57735027f)), length);
  Vec lit = mul(h.shade[v], max(cosine, splat(0)));
  return choose(less(h.distance[v], splat(1e30f)), lit, splat(0));
}

}  // namespace
}  // namespace cuda_device::bench

void hand_spheres(int threads, float* out, const float* spheres, int64_t count, int64_t width,
                  int64_t height) {
  using namespace cuda_device::bench;
  parallel_chunks(threads, height, 4, [=](int64_t first, int64_t last) {
    for (int64_t row = first; row < last; ++row)
      for (int64_t column = 0; column < width; column += kVectors * kLanes) {
        Rays r = rays_at(column, row, width, height);
        Hits h;
        for (int v = 0; v < kVectors; ++v) {
          h.distance[v] = splat(1e30f);
          h.x[v] = h.y[v] = h.z[v] = h.shade[v] = splat(0);
        }
        for (int64_t s = 0; s < count; ++s) meet(h, r, spheres + kSphere * s);
        for (int v = 0; v < kVectors; ++v) {
          int64_t at = column + v * kLanes;
          store_first(out + row * width + at, light(h, r, v), width - at);
        }
      }
  });
}
