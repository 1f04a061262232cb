// Blocks of one size for objects that one thread makes and another one drops, all the time: from
// the heap, both would wait for the lock of the first one's arena.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace cuda_device::runtime {

// Without locks, so a fork finds it whole; where it comes while a thread takes, the child's blocks
// come from the heap. As long as the process.
template <size_t kBytes>
class Recycler {
 public:
  void* take() {
    void* const found = pop();
    return found ? found : ::operator new(kBytes);
  }
  void give(void* block) noexcept {
    // Threads that give at one time may count one for two.
    const uint32_t held = held_.load(std::memory_order_relaxed);
    if (held >= kMostHeld) return ::operator delete(block);
    held_.store(held + 1, std::memory_order_relaxed);
    auto* const free = new (block) Free{given_.load(std::memory_order_relaxed)};
    while (!given_.compare_exchange_weak(free->next, free, std::memory_order_release,
                                         std::memory_order_relaxed)) {
    }
  }

 private:
  struct Free {
    Free* next;
  };
  static_assert(kBytes >= sizeof(Free));
  static constexpr uint32_t kMostHeld = 1024;

  // Takes all that were given at once: nobody looks into a list that others change.
  void* pop() {
    if (taking_.test_and_set(std::memory_order_acquire)) return nullptr;  // another thread's turn
    if (!taken_ && given_.load(std::memory_order_relaxed)) {
      taken_ = given_.exchange(nullptr, std::memory_order_acquire);
      held_.store(0, std::memory_order_relaxed);
    }
    Free* const found = taken_;
    if (found) taken_ = found->next;
    taking_.clear(std::memory_order_release);
    return found;
  }

  alignas(64) std::atomic<Free*> given_{nullptr};
  std::atomic<uint32_t> held_{0};
  alignas(64) std::atomic_flag taking_{};
  Free* taken_ = nullptr;
};

}  // namespace cuda_device::runtime
