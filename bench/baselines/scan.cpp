// Inclusive prefix sums: of every block of 256 elements, and of a whole array. Inside a vector,
// sums of two come from a load one element back (load ports are idle); two shuffles do the rest.
#include <algorithm>
#include <atomic>
#include <memory>

#include "baselines.h"
#include "simd.h"
#include "sum.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int64_t kBlock = 256;
constexpr int64_t kChunk = 64;   // blocks a thread takes at a time
constexpr int64_t kTile = 4096;  // floats of a whole scan between which threads wait: half of L1

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

// Adds what came before, in each lane of `carry`.
inline void scan_short(float* out, const float* in, int64_t n, Vec carry) {
  const Ints top = splat_int(kLanes - 1);
  for (int64_t i = 0; i < n; i += kLanes) {
    Mask m = first_lanes(n - i);
    Vec own = scan_vector(in + i, m);
    store(out + i, add(own, carry), m);
    carry = add(carry, permuted(own, top));
  }
}

// Whole vectors; the sum of all of them and of what came before.
template <bool kStream>
inline Vec scan_vectors(float* out, const float* in, int64_t n, Vec carry) {
  const Ints top = splat_int(kLanes - 1);
#pragma GCC unroll 32
  for (int64_t i = 0; i < n; i += kLanes) {
    if (i % kLine == 0) prefetch(in + i + kAhead);
    Vec own = scan_vector(in + i, AllLanes{});
    Vec y = add(own, carry);
    // Off the chain of carries: the vector's own total meets the carry in one addition.
    carry = add(carry, permuted(own, top));
    put<kStream>(out + i, y);
  }
  return carry;
}

template <bool kStream>
void scan_block(float* out, const float* in, int64_t n) {
  if (n >= kBlock)
    scan_vectors<kStream>(out, in, kBlock, splat(0));
  else
    scan_short(out, in, n, splat(0));
}

template <bool kStream>
void scan(int threads, float* out, const float* in, int64_t n) {
  parallel_chunks(threads, (n + kBlock - 1) / kBlock, kChunk, [=](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b)
      scan_block<kStream>(out + b * kBlock, in + b * kBlock, n - b * kBlock);
    if (kStream) _mm_sfence();
  });
}

// What came before a tile, told by the thread that has the tile before it.
struct alignas(64) Before {
  std::atomic<bool> known{false};
  float sum = 0;

  float wait() const {
    while (!known.load(std::memory_order_acquire)) _mm_pause();
    return sum;
  }
  void tell(float s) {
    sum = s;
    known.store(true, std::memory_order_release);
  }
};

// A tile is summed, waits for what came before it, and is scanned from the cache.
template <bool kStream>
void scan_tiles(int threads, float* out, const float* in, int64_t n) {
  const int64_t tiles = (n + kTile - 1) / kTile;
  const auto before = std::make_unique<Before[]>(static_cast<size_t>(tiles + 1));
  before[0].tell(0);
  parallel_chunks(threads, tiles, 1, [&](int64_t tile, int64_t) {
    const float* from = in + tile * kTile;
    float* to = out + tile * kTile;
    const int64_t size = std::min(kTile, n - tile * kTile), whole = size / kLanes * kLanes;
    const float own = sum(from, size), start = before[tile].wait();
    before[tile + 1].tell(start + own);
    const Vec carry = scan_vectors<kStream>(to, from, whole, splat(start));
    scan_short(to + whole, from + whole, size - whole, carry);
    if (kStream) _mm_sfence();
  });
}

}  // namespace
}  // namespace cuda_device::bench

void hand_scan(int threads, float* out, const float* in, int64_t n) {
  using namespace cuda_device::bench;
  n * 4 >= kStreamBytes ? scan_tiles<true>(threads, out, in, n)
                        : scan_tiles<false>(threads, out, in, n);
}

void hand_block_scans(int threads, float* out, const float* in, int64_t n) {
  using namespace cuda_device::bench;
  n * 4 >= kStreamBytes ? scan<true>(threads, out, in, n) : scan<false>(threads, out, in, n);
}
