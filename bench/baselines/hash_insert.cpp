// Keys put into a table of open addresses: the slots of a batch of keys are prefetched before the
// first of them is looked at. See kernels/hash_insert.py.
#include <immintrin.h>

#include <atomic>

#include "baselines.h"
#include "thread_pool.h"

namespace cuda_device::bench {
namespace {

constexpr int64_t kChunk = 1 << 14, kBatch = 32;

// What one thread alone does needs no locked instruction.
template <bool kAlone>
void insert(uint64_t* table, uint32_t mask, uint32_t slot, uint64_t wanted) {
  for (;; slot = (slot + 1) & mask) {
    std::atomic_ref<uint64_t> place(table[slot]);
    uint64_t seen = place.load(std::memory_order_relaxed);
    if (seen >> 32 != wanted >> 32) {
      if (kAlone) {
        place.store(wanted, std::memory_order_relaxed);
        return;
      }
      if (place.compare_exchange_strong(seen, wanted, std::memory_order_relaxed)) return;
    }
    if (seen == wanted) return;
  }
}

template <bool kAlone>
void insert_all(uint64_t* table, uint32_t mask, uint64_t run, const uint32_t* keys, int64_t n) {
  for (int64_t first = 0; first < n; first += kBatch) {
    const int64_t count = n - first < kBatch ? n - first : kBatch;
    uint32_t slots[kBatch];
    for (int64_t k = 0; k < count; ++k) {
      slots[k] = keys[first + k] * 2654435769u & mask;
      _mm_prefetch(reinterpret_cast<const char*>(table + slots[k]), _MM_HINT_T0);
    }
    for (int64_t k = 0; k < count; ++k)
      insert<kAlone>(table, mask, slots[k], run | keys[first + k]);
  }
}

}  // namespace
}  // namespace cuda_device::bench

void hand_hash_insert(int threads, uint64_t* table, uint32_t* state, const uint32_t* keys,
                      int64_t n, int64_t slots) {
  using namespace cuda_device::bench;
  const auto mask = static_cast<uint32_t>(slots - 1);
  const uint64_t run = uint64_t{state[0]} << 32;
  parallel_chunks(threads, n, kChunk, [&](int64_t first, int64_t last) {
    const auto all = threads == 1 ? insert_all<true> : insert_all<false>;
    all(table, mask, run, keys + first, last - first);
  });
  ++state[0];
}
