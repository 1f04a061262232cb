// Whether memory of this process can be read, asked before an address of another library's is used.
#pragma once

#include <cstdint>

namespace cuda_device::interop {

// Whether the bytes [low, high) are mapped, and their first and last page readable; of up to eight
// pages each is. A system call a page: no signal is raised.
bool is_readable(uint64_t low, uint64_t high);

}  // namespace cuda_device::interop
