// The blocks of a grid: claimed by the threads that run them, counted when they are done.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace cuda_device::runtime {

// Any number of threads at once. Blocks are claimed in increasing order; each one that is claimed
// is to be counted.
class Blocks {
 public:
  explicit Blocks(uint64_t count) : count_(count) {}
  uint64_t count() const { return count_; }
  bool anything_left() const { return next_.load(std::memory_order_relaxed) < count_; }
  // The first of so many; count() or more where none is left.
  uint64_t claim(uint64_t wanted) { return next_.fetch_add(wanted, std::memory_order_relaxed); }
  // Those were run, or left out.
  void done(uint64_t blocks);
  // Leaves out those that nobody has claimed; returns how many.
  uint64_t stop();
  // Stops, and what runs already is to be left.
  void give_up();
  bool given_up() const { return given_up_.load(std::memory_order_relaxed); }
  bool over() const { return over_.load(std::memory_order_acquire) == kOver; }
  // Sleeps until all are done, or for the time (negative: no limit), or less. Whether all are.
  bool sleep(std::chrono::milliseconds limit);

 private:
  static constexpr uint32_t kRunning = 0, kAwaited = 1, kOver = 2;

  const uint64_t count_;
  std::atomic<bool> given_up_{false};
  std::atomic<uint64_t> next_{0};
  std::atomic<uint64_t> done_{0};
  std::atomic<uint32_t> over_{kRunning};
};

}  // namespace cuda_device::runtime
