// Sums: of every block of 256 elements, and of contiguous shares of a long array.
#include <algorithm>

#include "baselines.h"
#include "lanes.h"
#include "sum.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int64_t kBlock = 256;
constexpr int64_t kChunk = 256;  // blocks a thread takes at a time

// Four chains of additions hide their latency.
inline Vec block_sum(const float* p) {
  Vec s[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) s[i] = load(p + i * kLanes);
#pragma GCC unroll 28
  for (int i = 4; i < kBlock / kLanes; ++i) {
    if (i % kLineVectors == 0) prefetch(p + i * kLanes + kAhead);
    s[i % 4] = add(s[i % 4], load(p + i * kLanes));
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; i += kLineVectors) prefetch(p + i * kLanes + kAhead);
  return add(add(s[0], s[1]), add(s[2], s[3]));
}

// As many blocks as there are lanes share one reduction across them.
void block_sums_range(float* out, const float* in, int64_t n, int64_t first, int64_t last) {
  int64_t b = first;
  for (; b + kLanes <= last && (b + kLanes) * kBlock <= n; b += kLanes) {
    Vec s[kLanes];
    for (int i = 0; i < kLanes; ++i) s[i] = block_sum(in + (b + i) * kBlock);
    store(out + b, row_sums(s));
  }
  for (; b < last; ++b) out[b] = sum(in + b * kBlock, std::min(kBlock, n - b * kBlock));
}

}  // namespace
}  // namespace cuda_device::bench

void hand_block_sums(int threads, float* out, const float* in, int64_t n) {
  using namespace cuda_device::bench;
  parallel_chunks(threads, (n + kBlock - 1) / kBlock, kChunk,
                  [=](int64_t first, int64_t last) { block_sums_range(out, in, n, first, last); });
}

void hand_sum_parts(int threads, float* out, const float* in, int64_t n, int64_t parts) {
  using namespace cuda_device::bench;
  const int64_t lines = (n + kLine - 1) / kLine;
  parallel_chunks(threads, parts, 1, [=](int64_t p, int64_t) {
    int64_t first = std::min(n, lines * p / parts * kLine);
    int64_t last = std::min(n, lines * (p + 1) / parts * kLine);
    out[p] = sum(in + first, last - first);
  });
}
