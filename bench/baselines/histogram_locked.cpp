// A histogram of many bins in one table for all threads, by locked instructions: whoever looks at
// the table meanwhile sees each element counted at once.
#include <atomic>

#include "baselines.h"
#include "thread_pool.h"

void hand_histogram_locked(int threads, int32_t* out, const uint16_t* in, int64_t n,
                           int64_t /*bins*/) {
  using namespace cuda_device::bench;
  parallel_ranges(threads, n, 64, [=](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) std::atomic_ref<int32_t>(out[in[i]]).fetch_add(1);
  });
}
