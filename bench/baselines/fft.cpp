// One pass of a Stockham radix-4 transform of complex64, real and imaginary parts interleaved.
#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int kNumbers = kLanes / 2;  // complex numbers of a vector

#if defined(__AVX512F__)
inline Vec swapped(Vec a) { return _mm512_permute_ps(a, 0xb1); }
inline Vec real_parts(Vec a) { return _mm512_moveldup_ps(a); }
inline Vec imaginary_parts(Vec a) { return _mm512_movehdup_ps(a); }
inline Vec fma_add_sub(Vec a, Vec b, Vec c) { return _mm512_fmaddsub_ps(a, b, c); }
inline Vec flip(Vec a, Vec signs) { return _mm512_xor_ps(a, signs); }
#else
inline Vec swapped(Vec a) { return _mm256_permute_ps(a, 0xb1); }
inline Vec real_parts(Vec a) { return _mm256_moveldup_ps(a); }
inline Vec imaginary_parts(Vec a) { return _mm256_movehdup_ps(a); }
inline Vec fma_add_sub(Vec a, Vec b, Vec c) { return _mm256_fmaddsub_ps(a, b, c); }
inline Vec flip(Vec a, Vec signs) { return _mm256_xor_ps(a, signs); }
#endif

inline Vec product(Vec a, Vec b) {
  return fma_add_sub(real_parts(a), b, mul(imaginary_parts(a), swapped(b)));
}

// The sign of each imaginary part: (x, y) swapped and flipped is -i times it.
inline Vec conjugation() {
  float signs[kLanes];
  for (int i = 0; i < kLanes; ++i) signs[i] = i % 2 ? -0.0f : 0.0f;
  return load(signs);
}

inline void butterfly(float* out, int64_t span, Vec a, Vec b, Vec c, Vec d, Vec signs) {
  Vec s = add(a, c), t = sub(a, c), u = add(b, d), v = flip(swapped(sub(b, d)), signs);
  stream(out, add(s, u));
  stream(out + 2 * span, add(t, v));
  stream(out + 4 * span, sub(s, u));
  stream(out + 6 * span, sub(t, v));
}

}  // namespace
}  // namespace cuda_device::bench

void hand_fft_radix4(int threads, float* out, const float* in, const float* twiddle, int64_t n,
                     int64_t span) {
  using namespace cuda_device::bench;
  const int64_t quarter = n / 4;
  const Vec signs = conjugation();
  parallel_ranges(threads, quarter, span, [=](int64_t first, int64_t last) {
    for (int64_t j = first; j < last; j += span)
      for (int64_t k = 0; k < span; k += kNumbers) {
        const float* p = in + 2 * (j + k);
        Vec w = load(twiddle + 2 * k), w2 = product(w, w), w3 = product(w, w2);
        butterfly(out + 2 * (4 * j + k), span, load(p), product(w, load(p + 2 * quarter)),
                  product(w2, load(p + 4 * quarter)), product(w3, load(p + 6 * quarter)), signs);
      }
    _mm_sfence();
  });
}
