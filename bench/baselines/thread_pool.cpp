#include "thread_pool.h"

#include <immintrin.h>

#include <algorithm>

namespace cuda_device::bench {
namespace {
constexpr int kSpins = 4000;  // some 50 to 100 microseconds of pauses
}

ThreadPool& ThreadPool::instance() {
  static auto* pool = new ThreadPool;  // never destroyed: its threads live as long as the process
  return *pool;
}

uint32_t ThreadPool::wait_for_change(const std::atomic<uint32_t>& word, uint32_t old) {
  for (int i = 0; i < kSpins; ++i) {
    uint32_t now = word.load(std::memory_order_acquire);
    if (now != old) return now;
    _mm_pause();
  }
  word.wait(old, std::memory_order_acquire);
  return word.load(std::memory_order_acquire);
}

void ThreadPool::worker(int index, uint32_t seen) {
  for (;;) {
    seen = wait_for_change(round_, seen);
    if (index <= wanted_) (*job_)(index);
    if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
  }
}

void ThreadPool::run(int threads, const std::function<void(int)>& job) {
  while (static_cast<int>(workers_.size()) < threads - 1) {
    int index = static_cast<int>(workers_.size()) + 1;
    workers_.emplace_back(&ThreadPool::worker, this, index, round_.load());
    workers_.back().detach();
  }
  if (threads <= 1) return job(0);
  job_ = &job;
  wanted_ = threads - 1;
  // Every worker answers every round, so none can still be in an earlier one.
  running_.store(static_cast<uint32_t>(workers_.size()), std::memory_order_relaxed);
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  job(0);
  for (uint32_t left = running_.load(); left != 0;) left = wait_for_change(running_, left);
}

void parallel_ranges(int threads, int64_t n, int64_t unit,
                     const std::function<void(int64_t, int64_t)>& body) {
  int64_t units = (n + unit - 1) / unit;
  ThreadPool::instance().run(threads, [&](int t) {
    int64_t first = units * t / threads * unit;
    int64_t last = std::min(n, units * (t + 1) / threads * unit);
    if (first < last) body(first, last);
  });
}

void parallel_chunks(int threads, int64_t n, int64_t chunk,
                     const std::function<void(int64_t, int64_t)>& body) {
  std::atomic<int64_t> next{0};
  ThreadPool::instance().run(threads, [&](int) {
    for (;;) {
      int64_t first = next.fetch_add(chunk, std::memory_order_relaxed);
      if (first >= n) return;
      body(first, std::min(n, first + chunk));
    }
  });
}

}  // namespace cuda_device::bench
