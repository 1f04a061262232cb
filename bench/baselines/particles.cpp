// Particles around a centre, in arrays of structs: position and mass, velocity and age, four floats
// each. Only the strength of the pull needs the coordinates apart; it is made for as many particles
// as there are lanes, and the rest is done on the structs as they lie.
#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int64_t kUnit = 4 * kLanes;  // floats of a group: a particle a lane

struct Step {
  Vec eps, strength, dt;  // the last with a zero for the mass and the age
  Vec keep;               // 1, 1, 1, 0: what a velocity takes of the pull
};

Step step_of(float eps, float pull, float dt) {
  float xyz[kLanes], ones[kLanes];
  for (int i = 0; i < kLanes; ++i) {
    xyz[i] = i % 4 < 3 ? dt : 0;
    ones[i] = i % 4 < 3 ? 1 : 0;
  }
  return {splat(eps), splat(pull * dt), load(xyz), load(ones)};
}

#if defined(__AVX512F__)
template <int k>
inline Vec broadcast_in_parts(Vec a) {
  return _mm512_permute_ps(a, k * 0x55);
}
inline Vec even_parts(Vec a, Vec b) { return _mm512_shuffle_f32x4(a, b, 0x88); }
inline Vec odd_parts(Vec a, Vec b) { return _mm512_shuffle_f32x4(a, b, 0xdd); }
inline Vec alternating_low(Vec a, Vec b) {
  const Ints at = _mm512_set_epi32(23, 22, 21, 20, 7, 6, 5, 4, 19, 18, 17, 16, 3, 2, 1, 0);
  return _mm512_permutex2var_ps(a, at, b);
}
inline Vec alternating_high(Vec a, Vec b) {
  const Ints at = _mm512_set_epi32(31, 30, 29, 28, 15, 14, 13, 12, 27, 26, 25, 24, 11, 10, 9, 8);
  return _mm512_permutex2var_ps(a, at, b);
}
#else
template <int k>
inline Vec broadcast_in_parts(Vec a) {
  return _mm256_permute_ps(a, k * 0x55);
}
inline Vec even_parts(Vec a, Vec b) { return _mm256_permute2f128_ps(a, b, 0x20); }
inline Vec odd_parts(Vec a, Vec b) { return _mm256_permute2f128_ps(a, b, 0x31); }
inline Vec alternating_low(Vec a, Vec b) { return _mm256_permute2f128_ps(a, b, 0x20); }
inline Vec alternating_high(Vec a, Vec b) { return _mm256_permute2f128_ps(a, b, 0x31); }
#endif

// pull * dt / (|place|^2 + eps)^(3/2): lane 4 q + k is that of particle q of the k-th vector.
inline Vec strengths(const Vec (&place)[4], const Step& s) {
  Vec low01 = unpack_low(place[0], place[1]), high01 = unpack_high(place[0], place[1]);
  Vec low23 = unpack_low(place[2], place[3]), high23 = unpack_high(place[2], place[3]);
  Vec x = unpack_low2(low01, low23), y = unpack_high2(low01, low23);
  Vec z = unpack_low2(high01, high23);
  Vec r2 = fma(x, x, fma(y, y, fma(z, z, s.eps)));
  return div(s.strength, mul(r2, sqrt(r2)));
}

// A vector of positions and one of velocities, one step on.
inline void move(Vec& place, Vec& speed, Vec strength, const Step& s) {
  speed = fnma(place, mul(strength, s.keep), speed);
  place = fma(speed, s.dt, place);
}

inline void move_group(Vec (&place)[4], Vec (&speed)[4], const Step& s) {
  Vec strength = strengths(place, s);
  move(place[0], speed[0], broadcast_in_parts<0>(strength), s);
  move(place[1], speed[1], broadcast_in_parts<1>(strength), s);
  move(place[2], speed[2], broadcast_in_parts<2>(strength), s);
  move(place[3], speed[3], broadcast_in_parts<3>(strength), s);
}

struct Float4 {
  float *new_place, *new_speed;
  const float *place, *speed;

  void load_group(int64_t i, Vec (&p)[4], Vec (&v)[4]) const {
    for (int k = 0; k < 4; ++k) {
      p[k] = load(place + i + k * kLanes);
      v[k] = load(speed + i + k * kLanes);
    }
  }
  void stream_group(int64_t i, const Vec (&p)[4], const Vec (&v)[4]) const {
    for (int k = 0; k < 4; ++k) stream(new_place + i + k * kLanes, p[k]);
    for (int k = 0; k < 4; ++k) stream(new_speed + i + k * kLanes, v[k]);
  }
};

struct Struct {
  float* out;
  const float* in;

  void load_group(int64_t i, Vec (&p)[4], Vec (&v)[4]) const {
    for (int k = 0; k < 4; ++k) {
      Vec a = load(in + 2 * i + 2 * k * kLanes), b = load(in + 2 * i + (2 * k + 1) * kLanes);
      p[k] = even_parts(a, b);
      v[k] = odd_parts(a, b);
    }
  }
  void stream_group(int64_t i, const Vec (&p)[4], const Vec (&v)[4]) const {
    for (int k = 0; k < 4; ++k) {
      stream(out + 2 * i + 2 * k * kLanes, alternating_low(p[k], v[k]));
      stream(out + 2 * i + (2 * k + 1) * kLanes, alternating_high(p[k], v[k]));
    }
  }
};

template <class Layout>
void particles(int threads, const Layout& layout, int64_t n, float eps, float pull, float dt) {
  const Step s = step_of(eps, pull, dt);
  parallel_ranges(threads, 4 * n, kUnit, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; i += kUnit) {
      Vec p[4], v[4];
      layout.load_group(i, p, v);
      move_group(p, v, s);
      layout.stream_group(i, p, v);
    }
    _mm_sfence();
  });
}

}  // namespace
}  // namespace cuda_device::bench

void hand_particles_float4(int threads, float* new_place, float* new_speed, const float* place,
                           const float* speed, int64_t n, float eps, float pull, float dt) {
  using namespace cuda_device::bench;
  particles(threads, Float4{new_place, new_speed, place, speed}, n, eps, pull, dt);
}

void hand_particles_struct(int threads, float* out, const float* in, int64_t n, float eps,
                           float pull, float dt) {
  using namespace cuda_device::bench;
  particles(threads, Struct{out, in}, n, eps, pull, dt);
}
