// Elements put at the front of lists, each under the lock of its list. See kernels/locked_lists.py.
#include <immintrin.h>

#include <atomic>

#include "baselines.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int64_t kChunk = 1 << 14;

class Held {
 public:
  explicit Held(int32_t& word) : word_(word) {
    while (word_.exchange(1, std::memory_order_acquire) != 0)
      while (word_.load(std::memory_order_relaxed) != 0) _mm_pause();
  }
  ~Held() { word_.store(0, std::memory_order_release); }

 private:
  std::atomic_ref<int32_t> word_;
};

}  // namespace
}  // namespace cuda_device::bench

void hand_locked_lists(int threads, int32_t* following, uint64_t* heads, int32_t* locks,
                       uint32_t* state, const int32_t* lists, int64_t n) {
  using namespace cuda_device::bench;
  const uint64_t run = state[0];
  parallel_chunks(threads, n, kChunk, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) {
      const Held held(locks[lists[i]]);
      uint64_t& head = heads[lists[i]];
      following[i] = head >> 32 == run ? static_cast<int32_t>(head) : -1;
      head = run << 32 | static_cast<uint64_t>(i);
    }
  });
  ++state[0];
}
