// Inclusive prefix sums of every block of 256 elements. Inside a vector, sums of two come from a
// load one element back (load ports are idle); two shuffles do the rest.
#include <algorithm>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int64_t kBlock = 256;
constexpr int64_t kChunk = 64;    // blocks a thread takes at a time
constexpr int64_t kAhead = 1024;  // floats between a load and its prefetch

#if defined(__AVX512F__)

inline Mask without_first(Mask m) { return static_cast<Mask>(m & 0xfffe); }
inline Mask without_first(AllLanes) { return 0xfffe; }

// Each lane the lane `kCount` below it, zero where there is none.
template <int kCount>
inline Vec shift_up(Vec x) {
  __m512i bits = _mm512_castps_si512(x);
  return _mm512_castsi512_ps(_mm512_alignr_epi32(bits, _mm512_setzero_si512(), 16 - kCount));
}

template <class Lanes>
inline Vec scan_vector(const float* p, Lanes m) {
  Vec one = add(load(p, m), load(p - 1, without_first(m)));
  Vec two = add(one, shift_up<2>(one));
  Vec four = add(two, shift_up<4>(two));
  return add(four, shift_up<8>(four));
}

#else

// Sums inside the halves, then the lower one's total to the upper one.
template <class Lanes>
inline Vec scan_vector(const float* p, Lanes m) {
  Vec x = load(p, m);
  Vec one = add(x, _mm256_castsi256_ps(_mm256_slli_si256(_mm256_castps_si256(x), 4)));
  Vec two = add(one, _mm256_castsi256_ps(_mm256_slli_si256(_mm256_castps_si256(one), 8)));
  Vec low = _mm256_permute2f128_ps(two, two, 0x08);  // zero, the lower half
  return add(two, _mm256_shuffle_ps(low, low, 0xff));
}

#endif

template <bool kStream>
void scan_block(float* out, const float* in, int64_t n) {
  Vec carry = splat(0);
  const Ints top = splat_int(kLanes - 1);
  if (n >= kBlock) {
#pragma GCC unroll 32
    for (int i = 0; i < kBlock; i += kLanes) {
      if (i % kLine == 0) prefetch(in + i + kAhead);
      Vec own = scan_vector(in + i, AllLanes{});
      Vec y = add(own, carry);
      // Off the chain of carries: the vector's own total meets the carry in one addition.
      carry = add(carry, permuted(own, top));
      put<kStream>(out + i, y);
    }
    return;
  }
  for (int64_t i = 0; i < n; i += kLanes) {
    Mask m = first_lanes(n - i);
    Vec own = scan_vector(in + i, m);
    store(out + i, add(own, carry), m);
    carry = add(carry, permuted(own, top));
  }
}

template <bool kStream>
void scan(int threads, float* out, const float* in, int64_t n) {
  parallel_chunks(threads, (n + kBlock - 1) / kBlock, kChunk, [=](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b)
      scan_block<kStream>(out + b * kBlock, in + b * kBlock, n - b * kBlock);
    if (kStream) _mm_sfence();
  });
}

}  // namespace
}  // namespace cuda_device::bench

void hand_block_scans(int threads, float* out, const float* in, int64_t n) {
  using namespace cuda_device::bench;
  n * 4 >= kStreamBytes ? scan<true>(threads, out, in, n) : scan<false>(threads, out, in, n);
}
