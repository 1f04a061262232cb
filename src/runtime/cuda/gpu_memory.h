// Memory of GPUs, in the order of CUDA streams where the driver can.
#pragma once

#include <cstdint>
#include <optional>

#include "abi/memory_kind.h"
#include "runtime/cuda/driver_types.h"

namespace cuda_device::cuda {

// Allocates 1 byte or more. Device memory comes from the device's default pool, which keeps what is
// freed, where it has one. When there is none left, all work is waited for, the pool is trimmed,
// and the allocation is tried once more. Throws runtime::OutOfMemory, DriverError.
CUdeviceptr allocate(int gpu, abi::MemoryKind kind, uint64_t bytes, uint64_t stream);

// Releases memory to work that is queued on the stream after this; memory that is not of a pool is
// freed when the stream has come so far. The stream is not being captured. Errors of the driver are
// dropped.
void release(int gpu, abi::MemoryKind kind, CUdeviceptr memory, uint64_t stream) noexcept;

// The allocation that the driver knows at an address, other libraries' too; nothing where it knows
// none.
std::optional<abi::Allocation> allocation_at(uint64_t address);

struct FreeMemory {
  size_t free = 0, total = 0;
};
FreeMemory free_memory(int gpu);
// Gives unused memory of the pool back to the system.
void trim(int gpu);

}  // namespace cuda_device::cuda
