// The floating-point environment of kernels.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace cuda_device::runtime {

// Kernels run with round-to-nearest, no trap, denormals kept, whatever the calling thread has set;
// `flush_subnormals`: with subnormal operands and results taken for zero.
class FloatState {
 public:
#if defined(__x86_64__)
  explicit FloatState(bool flush_subnormals) : saved_(_mm_getcsr()) {
    _mm_setcsr(flush_subnormals ? kDefault | kFlushToZero | kDenormalsAreZero : kDefault);
  }
  ~FloatState() { _mm_setcsr(saved_); }
  FloatState(const FloatState&) = delete;
  FloatState& operator=(const FloatState&) = delete;

 private:
  static constexpr unsigned kDefault = 0x1f80, kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  unsigned saved_;
#else
  explicit FloatState(bool /*flush_subnormals*/) {}
#endif
};

}  // namespace cuda_device::runtime
