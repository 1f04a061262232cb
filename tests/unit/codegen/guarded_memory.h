// Arrays that lie against memory that must not be touched.
#pragma once

#include <functional>

#include "unit/codegen/host_run.h"

namespace cuda_device::codegen::test {

enum class Against : uint8_t { Start, End };  // of the accessible memory

// A copy of an array's elements, one page on either side of which faults.
class GuardedMemory {
 public:
  GuardedMemory(const TestArray& array, Against side);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  uint8_t* elements() const { return elements_; }
  void copy_back(TestArray& array) const;

 private:
  uint8_t* memory_ = nullptr;
  size_t size_ = 0;
  uint8_t* elements_ = nullptr;
};

// Whether it ended in an access to memory that may not be touched.
bool faults(const std::function<void()>& run);

}  // namespace cuda_device::codegen::test
