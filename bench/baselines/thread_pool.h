// Persistent threads for the baselines. A worker spins briefly for its next job, because an idle
// core wakes slowly, and then sleeps.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace cuda_device::bench {

class ThreadPool {
 public:
  static ThreadPool& instance();

  // Calls job(0) ... job(threads - 1), the first on this thread; returns when all have returned.
  void run(int threads, const std::function<void(int)>& job);

 private:
  void worker(int index, uint32_t seen);
  uint32_t wait_for_change(const std::atomic<uint32_t>& word, uint32_t old);

  std::vector<std::thread> workers_;
  const std::function<void(int)>* job_ = nullptr;
  int wanted_ = 0;  // workers that take part in the job
  std::atomic<uint32_t> round_{0};
  std::atomic<uint32_t> running_{0};
};

// Splits [0, n) into one contiguous range a thread, cut at multiples of `unit`.
void parallel_ranges(int threads, int64_t n, int64_t unit,
                     const std::function<void(int64_t, int64_t)>& body);

// Hands out [0, n) in chunks of `chunk` to whichever thread is free.
void parallel_chunks(int threads, int64_t n, int64_t chunk,
                     const std::function<void(int64_t, int64_t)>& body);

}  // namespace cuda_device::bench
