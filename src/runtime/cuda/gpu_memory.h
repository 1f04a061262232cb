// Memory of GPUs, in the order of CUDA streams where the driver can.
#pragma once

#include <cstdint>
#include <optional>

#include "abi/memory_kind.h"
#include "runtime/cuda/driver_types.h"

namespace cuda_device::cuda {

// From 1 byte on. Device memory comes from the device's default pool, which keeps what is freed,
// where it has one. When there is none left, all work is waited for, the pool is trimmed, and it
// is asked for once more. Throws runtime::OutOfMemory, DriverError.
CUdeviceptr allocate(int gpu, abi::MemoryKind kind, uint64_t bytes, uint64_t stream);

// For work that is queued on the stream after this; memory that is not of a pool is freed when
// the stream has come so far; nobody captures that stream. An error of the driver is nobody's.
void release(int gpu, abi::MemoryKind kind, CUdeviceptr memory, uint64_t stream) noexcept;

// What the driver knows of an address, whoever allocated it; nothing where it does not know it.
std::optional<abi::Allocation> allocation_at(uint64_t address);

struct FreeMemory {
  size_t free = 0, total = 0;
};
FreeMemory free_memory(int gpu);
// Gives back what the pool keeps and nobody uses.
void trim(int gpu);

}  // namespace cuda_device::cuda
