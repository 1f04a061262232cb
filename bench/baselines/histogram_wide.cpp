// A histogram of many bins: a table a thread, added to the counts at the end.
#include <algorithm>
#include <cstring>
#include <vector>

#include "baselines.h"
#include "simd.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int64_t kLeast = 1 << 16;  // elements that are worth a table

void count(int32_t* table, const uint16_t* in, int64_t n) {
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    uint64_t four;
    std::memcpy(&four, in + i, 8);
    ++table[four & 0xffff];
    ++table[four >> 16 & 0xffff];
    ++table[four >> 32 & 0xffff];
    ++table[four >> 48];
  }
  for (; i < n; ++i) ++table[in[i]];
}

}  // namespace
}  // namespace cuda_device::bench

void hand_histogram_wide(int threads, int32_t* out, const uint16_t* in, int64_t n, int64_t bins) {
  using namespace cuda_device::bench;
  const int64_t parts = std::clamp<int64_t>(n / kLeast, 1, threads);
  static std::vector<std::vector<int32_t>>
      tables;  // kept: fresh pages would cost more than counting
  tables.resize(std::max<size_t>(tables.size(), static_cast<size_t>(parts)));
  parallel_chunks(threads, parts, 1, [&](int64_t p, int64_t) {
    std::vector<int32_t>& table = tables[static_cast<size_t>(p)];
    table.assign(static_cast<size_t>(bins), 0);
    count(table.data(), in + n * p / parts, n * (p + 1) / parts - n * p / parts);
  });
  parallel_ranges(threads, bins, kLine, [&](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b) {
      uint32_t sum = static_cast<uint32_t>(out[b]);  // counts of many runs may wrap
      for (int64_t p = 0; p < parts; ++p)
        sum += static_cast<uint32_t>(tables[static_cast<size_t>(p)][static_cast<size_t>(b)]);
      out[b] = static_cast<int32_t>(sum);
    }
  });
}
