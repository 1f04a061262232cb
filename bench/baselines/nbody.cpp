// Gravity: bodies in two vectors meet every other body, whose coordinates and mass are broadcast
// from memory. Two vectors share each broadcast, and leave the registers for what is in flight.
#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int kVectors = 2;
constexpr int64_t kChunk = 4 * kVectors * kLanes;  // bodies a thread takes at a time

struct Bodies {
  const float *x, *y, *z, *mass;
  int64_t n;
};

// m / d2^(3/2), over kScale, by an estimate of 1/sqrt(d2).
struct Estimated {
#if defined(__AVX512F__)
  // One Newton step for the power -3/2, from y near 1/sqrt(d2), is y^3 * (5/2 - 3/2 * d2*y^2). An
  // estimate within 2^-14 leaves 2^-25.
  static constexpr float kScale = 1.5f;
  static Vec weight(Vec d2, Vec mass) {
    Vec y = estimated_rsqrt(d2);
    Vec y2 = mul(y, y);
    return mul(mul(mul(mass, y), y2), fnma(d2, y2, splat(5.0f / 3.0f)));
  }
#else
  // AVX2's estimate has 11 bits: with h = 1 - d2*y^2 it takes one more term of
  // y^3 * (1 + 3/2 h + 15/8 h^2), which leaves 2^-30.
  static constexpr float kScale = 1;
  static Vec weight(Vec d2, Vec mass) {
    Vec y = estimated_rsqrt(d2);
    Vec y2 = mul(y, y);
    Vec h = fnma(d2, y2, splat(1));
    Vec rest = fma(fma(h, splat(1.875f), splat(1.5f)), h, splat(1));
    return mul(mul(mul(mass, y), y2), rest);
  }
#endif
};

struct Exact {
  static constexpr float kScale = 1;
  static Vec weight(Vec d2, Vec mass) {
    Vec inverse = div(splat(1), sqrt(d2));
    return mul(mul(mass, inverse), mul(inverse, inverse));
  }
};

struct Force {
  Vec x, y, z;
};

template <class Power>
inline void attract(Force& f, Vec x, Vec y, Vec z, Vec eps2, const Bodies& b, int64_t j) {
  Vec dx = sub(splat(b.x[j]), x);
  Vec dy = sub(splat(b.y[j]), y);
  Vec dz = sub(splat(b.z[j]), z);
  Vec w = Power::weight(fma(dx, dx, fma(dy, dy, fma(dz, dz, eps2))), splat(b.mass[j]));
  f.x = fma(dx, w, f.x);
  f.y = fma(dy, w, f.y);
  f.z = fma(dz, w, f.z);
}

template <class Power>
void nbody(int threads, float* ax, float* ay, float* az, const Bodies& b, float eps2) {
  parallel_chunks(threads, b.n, kChunk, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; i += kVectors * kLanes) {
      Vec x[kVectors], y[kVectors], z[kVectors];
      Mask m[kVectors];
      Force f[kVectors];
      for (int k = 0; k < kVectors; ++k) {
        int64_t at = i + k * kLanes;
        m[k] = first_lanes(last - at);
        x[k] = load(b.x + at, m[k]);
        y[k] = load(b.y + at, m[k]);
        z[k] = load(b.z + at, m[k]);
        f[k] = {splat(0), splat(0), splat(0)};
      }
      for (int64_t j = 0; j < b.n; ++j)
        for (int k = 0; k < kVectors; ++k)
          attract<Power>(f[k], x[k], y[k], z[k], splat(eps2), b, j);
      for (int k = 0; k < kVectors; ++k) {
        int64_t at = i + k * kLanes;
        store(ax + at, mul(f[k].x, splat(Power::kScale)), m[k]);
        store(ay + at, mul(f[k].y, splat(Power::kScale)), m[k]);
        store(az + at, mul(f[k].z, splat(Power::kScale)), m[k]);
      }
    }
  });
}

}  // namespace
}  // namespace cuda_device::bench

void hand_nbody(int threads, float* ax, float* ay, float* az, const float* x, const float* y,
                const float* z, const float* mass, float eps2, int64_t n) {
  using namespace cuda_device::bench;
  nbody<Estimated>(threads, ax, ay, az, {x, y, z, mass, n}, eps2);
}

void hand_nbody_exact(int threads, float* ax, float* ay, float* az, const float* x, const float* y,
                      const float* z, const float* mass, float eps2, int64_t n) {
  using namespace cuda_device::bench;
  nbody<Exact>(threads, ax, ay, az, {x, y, z, mass, n}, eps2);
}
