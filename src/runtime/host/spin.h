// Waiting without sleep, for what comes soon.
#pragma once

#include <chrono>
#include <mutex>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace cuda_device::runtime {

inline void relax() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// For a lock that is held for a few instructions: spinning takes it sooner than sleeping, and
// releasing it needs no system call to wake a waiter.
inline std::unique_lock<std::mutex> lock_soon(std::mutex& mutex) {
  constexpr int kTries = 50;
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int i = 0; i < kTries && !lock; ++i) {
    relax();
    (void)lock.try_lock();
  }
  if (!lock) lock.lock();
  return lock;
}

// False where `come` has not said yes in that time.
template <class Come>
bool spin_until(Come&& come, std::chrono::microseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  do {
    for (int i = 0; i < 64; ++i) {
      if (come()) return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < until);
  return false;
}

}  // namespace cuda_device::runtime
