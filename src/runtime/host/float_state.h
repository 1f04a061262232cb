// The floating-point environment of kernels.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace cuda_device::runtime {

// Kernels run with round-to-nearest, no trap, denormals kept, whatever the calling thread has set.
class FloatState {
 public:
#if defined(__x86_64__)
  FloatState() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~FloatState() { _mm_setcsr(saved_); }
  FloatState(const FloatState&) = delete;
  FloatState& operator=(const FloatState&) = delete;

 private:
  unsigned saved_;
#endif
};

}  // namespace cuda_device::runtime
