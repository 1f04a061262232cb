// 3x3 weighted sums of RGBA images of bytes, indices clamped to the image. A pixel is four lanes.
// Each row is made floats once, with a pixel more at both ends, and three rows wait in L1 or L2.
#include <algorithm>
#include <vector>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int64_t kBand = 32;  // rows a thread takes at a time

#if defined(__AVX512F__)
inline Vec from_bytes(const uint8_t* p) {
  __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
}
// Whole parts, 0 ... 255.
inline void to_bytes(uint8_t* p, Vec x) {
  __m128i bytes = _mm512_cvtusepi32_epi8(_mm512_cvttps_epi32(x));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), bytes);
}
#else
inline Vec from_bytes(const uint8_t* p) {
  __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
  return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
}
inline void to_bytes(uint8_t* p, Vec x) {
  __m256i whole = _mm256_cvttps_epi32(x);
  __m128i words =
      _mm_packus_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packus_epi16(words, words));
}
#endif

struct Rows {
  std::vector<float> memory;
  int64_t pitch;

  explicit Rows(int64_t width)
      : memory(3 * (4 * width + 8 + kLanes)), pitch(4 * width + 8 + kLanes) {}
  float* row(int64_t y) { return memory.data() + (y % 3) * pitch; }
};

void fill_row(float* row, const uint8_t* in, int64_t width) {
  const int64_t n = 4 * width;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(row + 4 + i, from_bytes(in + i));
  for (; i < n; ++i) row[4 + i] = in[i];
  std::copy_n(row + 4, 4, row);
  std::copy_n(row + n, 4, row + n + 4);
}

void make_row(uint8_t* out, const float* const (&rows)[3], const Vec (&w)[9], const float* weights,
              int64_t width) {
  const int64_t n = 4 * width;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Vec sum = splat(0.5f);
#pragma GCC unroll 9
    for (int t = 0; t < 9; ++t) sum = fma(w[t], load(rows[t / 3] + i + 4 * (t % 3)), sum);
    to_bytes(out + i, sum);
  }
  for (; i < n; ++i) {
    float sum = 0.5f;
    for (int t = 0; t < 9; ++t) sum += weights[t] * rows[t / 3][i + 4 * (t % 3)];
    out[i] = static_cast<uint8_t>(sum);
  }
}

}  // namespace
}  // namespace cuda_device::bench

void hand_convolve_rgba(int threads, uint8_t* out, const uint8_t* in, const float* weights,
                        int64_t width, int64_t height) {
  using namespace cuda_device::bench;
  Vec w[9];
  for (int t = 0; t < 9; ++t) w[t] = splat(weights[t]);
  parallel_chunks(threads, height, kBand, [&](int64_t first, int64_t last) {
    Rows rows(width);
    const auto clamped = [=](int64_t y) { return std::clamp<int64_t>(y, 0, height - 1); };
    // Row y stands in place y + 1, so that the one above the image has a place too.
    const auto fill = [&](int64_t y) {
      fill_row(rows.row(y + 1), in + 4 * width * clamped(y), width);
    };
    fill(first - 1);
    fill(first);
    for (int64_t y = first; y < last; ++y) {
      fill(y + 1);
      const float* const three[3] = {rows.row(y), rows.row(y + 1), rows.row(y + 2)};
      make_row(out + 4 * width * y, three, w, weights, width);
    }
  });
}
