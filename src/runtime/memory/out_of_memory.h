// Memory that a device does not have. Nothing was changed: what was allocated before stays usable.
#pragma once

#include <cstdint>
#include <new>
#include <string>

#include "abi/memory_kind.h"

namespace cuda_device::runtime {

class OutOfMemory : public std::bad_alloc {
 public:
  OutOfMemory(uint64_t asked, uint64_t free, uint64_t total, const std::string& where);
  const char* what() const noexcept override { return text_.c_str(); }
  const uint64_t asked, free, total;  // bytes

 private:
  std::string text_;
};

// "device memory of GPU 0", "memory of the host device".
std::string place_text(int device, abi::MemoryKind kind);

}  // namespace cuda_device::runtime
