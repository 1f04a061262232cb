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

// Each lane the lane `kCount` below it, zero where there is none.
template <int kCount>
inline Vec shift_up(Vec x) {
  __m512i bits = _mm512_castps_si512(x);
  return _mm512_castsi512_ps(_mm512_alignr_epi32(bits, _mm512_setzero_si512(), 16 - kCount));
}

inline Vec scan16(const float* p, __mmask16 m) {
  Vec one = add(load(p, m), load(p - 1, static_cast<__mmask16>(m & 0xfffe)));
  Vec two = add(one, shift_up<2>(one));
  Vec four = add(two, shift_up<4>(two));
  return add(four, shift_up<8>(four));
}

template <bool kStream>
void scan_block(float* out, const float* in, int64_t n) {
  Vec carry = splat(0);
  const __m512i top = _mm512_set1_epi32(15);
  if (n >= kBlock) {
#pragma GCC unroll 16
    for (int i = 0; i < kBlock; i += kLanes) {
      _mm_prefetch(reinterpret_cast<const char*>(in + i + kAhead), _MM_HINT_T0);
      Vec own = scan16(in + i, 0xffff);
      Vec y = add(own, carry);
      // Off the chain of carries: the vector's own total meets the carry in one addition.
      carry = add(carry, _mm512_permutexvar_ps(top, own));
      if (kStream)
        stream(out + i, y);
      else
        store(out + i, y);
    }
    return;
  }
  for (int64_t i = 0; i < n; i += kLanes) {
    __mmask16 m = first_lanes(n - i);
    Vec own = scan16(in + i, m);
    store(out + i, add(own, carry), m);
    carry = add(carry, _mm512_permutexvar_ps(top, own));
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
