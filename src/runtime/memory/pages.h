// Memory as the system gives it.
#pragma once

#include <cstdint>

namespace cuda_device::runtime {

// Allocations from this size on have pages of their own, huge ones where the system has them, and
// are zero.
inline constexpr uint64_t kOwnPages = uint64_t{2} << 20;
inline constexpr uint64_t kMemoryAlign = 256;

// Aligned to kMemoryAlign; null where there is none. `bytes`: a multiple of kMemoryAlign, and of
// the system's pages from kOwnPages on.
void* take_pages(uint64_t bytes);
void give_pages(void* memory, uint64_t bytes);

// Memory of the machine, or what control groups allow of it: what programs may still have, and all.
uint64_t free_bytes();
uint64_t total_bytes();

}  // namespace cuda_device::runtime
