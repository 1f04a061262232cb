#include "runtime/host/job.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <thread>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace cuda_device::runtime {
namespace {

// Kernels run with round-to-nearest, no trap, denormals kept, whatever the calling thread has set.
class FloatState {
 public:
#if defined(__x86_64__)
  FloatState() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~FloatState() { _mm_setcsr(saved_); }

 private:
  unsigned saved_;
#endif
};

// Worker memory, kept between launches: grows, never shrinks while the thread lives.
class Arena {
 public:
  ~Arena() { std::free(memory_); }
  void* at_least(size_t bytes) {
    if (bytes <= size_) return memory_;
    std::free(memory_);
    size_ = (bytes + 4095) / 4096 * 4096;
    memory_ = std::aligned_alloc(64, size_);
    if (!memory_) throw std::bad_alloc();
    return memory_;
  }

 private:
  void* memory_ = nullptr;
  size_t size_ = 0;
};
thread_local Arena arena;

uint64_t block_count(const abi::LaunchDims& d) {
  return uint64_t{d.grid[0]} * d.grid[1] * d.grid[2];
}

}  // namespace

Job::Job(abi::HostEntry entry, const void* params, const abi::LaunchDims& dims,
         uint32_t arena_bytes)
    : entry_(entry), params_(params), arena_bytes_(arena_bytes), blocks_(block_count(dims)) {
  context_.dims = dims;
}

void Job::work() {
  FloatState state;
  run_chunks();
}

void Job::run_chunks() {
  abi::HostContext context = context_;
  const size_t shared = context.dims.shared;
  if (arena_bytes_ + shared) {
    context.arena = arena.at_least(arena_bytes_ + 64 + shared);
    context.shared = static_cast<char*>(context.arena) + (arena_bytes_ + 63) / 64 * 64;
  }
  for (;;) {
    const uint64_t first = next_.fetch_add(chunk_, std::memory_order_relaxed);
    if (first >= blocks_) return;
    const uint64_t last = std::min(first + chunk_, blocks_);
    entry_(params_, &context, first, last);
    if (done_.fetch_add(last - first, std::memory_order_acq_rel) + (last - first) == blocks_)
      done_.notify_all();
  }
}

void Job::wait() const {
  for (int spin = 0; spin < 2000; ++spin) {
    if (done_.load(std::memory_order_acquire) == blocks_) return;
#if defined(__x86_64__)
    _mm_pause();
#endif
  }
  for (uint64_t now; (now = done_.load(std::memory_order_acquire)) != blocks_;) done_.wait(now);
}

}  // namespace cuda_device::runtime
