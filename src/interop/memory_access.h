// What this process may do with memory, asked before an address of another library's is used.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cuda_device::interop {

enum class Access : uint8_t { None, Read, Write };

// What may be done with all of the bytes [low, high), as much as is wanted at most: Read or Write.
// No signal is raised. By system calls for pages: the first and the last page are asked, of up to
// eight each whether it may be read, of more whether the rest is mapped. No byte changes, but a
// page that may be written to counts as written: one that a fork shares is copied, one of a file is
// as new.
Access access_by_pages(uint64_t low, uint64_t high, Access wanted);

// The same for many ranges at one time, such as the arrays of a launch, by mappings where those can
// be asked for (interop/mappings.h): what ranges share is asked for once. What was found holds no
// longer than nobody takes the memory away.
class KnownAccess {
 public:
  Access to(uint64_t low, uint64_t high, Access wanted);
  // For an array whose owner says whether it may be written to: makes it read-only where its memory
  // may not be. False: its memory is not there.
  bool check(uint64_t low, uint64_t high, bool& read_only);

 private:
  struct Range {
    uint64_t low, high;  // whole pages
    Access access;
  };
  void keep(const Range& found);
  static constexpr size_t kKept = 16;
  std::array<Range, kKept> found_;
  size_t count_ = 0;
};

}  // namespace cuda_device::interop
