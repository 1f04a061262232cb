// Waiting for a GPU so that the wait can end: the driver's own waits cannot be interrupted.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

namespace cuda_device::cuda {

// Asks until `ready` says yes: for some microseconds without a pause, since short kernels are often
// about to end, then after pauses that grow to half a millisecond. False after so many milliseconds
// (< 0: never).
template <class Ready>
bool poll(const Ready& ready, int milliseconds) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::microseconds;
  const auto begin = Clock::now();
  microseconds pause{10};
  while (!ready()) {
    const auto waited = Clock::now() - begin;
    if (milliseconds >= 0 && waited >= std::chrono::milliseconds(milliseconds)) return false;
    if (waited < microseconds(50)) continue;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, microseconds(500));
  }
  return true;
}

}  // namespace cuda_device::cuda
