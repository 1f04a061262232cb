// Whether memory of this process can be read, asked before an address of another library's is used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cuda_device::interop {

// Whether the bytes [low, high) are mapped, and their first and last page readable; of up to eight
// pages each is. A system call a page: no signal is raised.
bool is_readable(uint64_t low, uint64_t high);

// The same for many ranges at one time, such as the arrays of a launch: pages that they share are
// asked for once. What was found holds no longer than nobody takes the memory away.
class ReadableMemory {
 public:
  bool contains(uint64_t low, uint64_t high);

 private:
  struct Range {
    uint64_t low, high;  // whole pages
  };
  static constexpr size_t kKept = 16;
  std::array<Range, kKept> found_;
  size_t count_ = 0;
};

}  // namespace cuda_device::interop
