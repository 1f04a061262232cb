// The mappings of this process, as Linux knows them.
#pragma once

#include <cstdint>
#include <optional>

namespace cuda_device::interop {

struct Mapping {
  uint64_t low = 0, high = 0;  // both 0: nothing is there
  bool readable = false, writable = false, of_file = false;
};

// The mapping that the address lies in. Nothing where Linux does not answer: before 6.11, or
// without /proc. One system call, however large the mapping is.
std::optional<Mapping> mapping_at(uint64_t address);

}  // namespace cuda_device::interop
