// What this process may do with memory, asked before an address of another library's is used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cuda_device::interop {

enum class Access : uint8_t { None, Read, Write };

// What may be done with all of the bytes [low, high), as much as is wanted at most: Read or Write.
// Of up to eight pages each is asked for, of more the first and the last, and whether the rest is
// mapped: a system call a page. No signal is raised and no byte changes, but pages that may be
// written to count as written: one that a fork shares is copied, one of a file is as new.
Access access_to(uint64_t low, uint64_t high, Access wanted);

// The same for many ranges at one time, such as the arrays of a launch: pages that they share are
// asked for once. What was found holds no longer than nobody takes the memory away.
class KnownAccess {
 public:
  Access to(uint64_t low, uint64_t high, Access wanted);

 private:
  struct Range {
    uint64_t low, high;  // whole pages
    Access access;
  };
  static constexpr size_t kKept = 16;
  std::array<Range, kKept> found_;
  size_t count_ = 0;
};

}  // namespace cuda_device::interop
