// Histograms of bytes. Eight tables take turns, so that equal neighbours do not wait for each
// other's stores; eight bytes come in one load.
#include <algorithm>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int kBins = 256, kTables = 8;

struct Tables {
  alignas(64) uint32_t count[kTables][kBins];
};

inline uint64_t load8(const uint8_t* p) {
  uint64_t x;
  __builtin_memcpy(&x, p, 8);
  return x;
}

// Two bytes of a register can be taken without a shift. The empty asm keeps compilers from shifting
// the original for every byte instead.
inline void count8(Tables& t, uint64_t x) {
#pragma GCC unroll 4
  for (int k = 0; k < kTables; k += 2) {
    ++t.count[k][x & 0xff];
    ++t.count[k + 1][(x >> 8) & 0xff];
    x >>= 16;
    asm("" : "+r"(x));
  }
}

void histogram(int32_t* out, const uint8_t* in, int64_t n) {
  Tables t;
  for (auto& table : t.count)
    for (int i = 0; i < kBins; i += kLanes) store(table + i, splat_int(0));
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    uint64_t low = load8(in + i), high = load8(in + i + 8);
    count8(t, low);
    count8(t, high);
  }
  for (; i < n; ++i) ++t.count[0][in[i]];
  for (int b = 0; b < kBins; b += kLanes) {
    Ints sum = load(t.count[0] + b);
    for (int k = 1; k < kTables; ++k) sum = add(sum, load(t.count[k] + b));
    store(out + b, sum);
  }
}

}  // namespace
}  // namespace cuda_device::bench

void hand_histograms(int threads, int32_t* out, const uint8_t* in, int64_t n, int64_t blocks) {
  using namespace cuda_device::bench;
  const int64_t per = (n + blocks - 1) / blocks;
  parallel_chunks(threads, blocks, 1, [=](int64_t b, int64_t) {
    int64_t first = std::min(n, b * per), last = std::min(n, first + per);
    histogram(out + b * kBins, in + first, last - first);
  });
}
