// Memory of any device: allocated, freed and copied in the order of a stream.
#pragma once

#include <cstdint>
#include <memory>

#include "abi/memory_kind.h"
#include "runtime/host/stream.h"
#include "runtime/memory/strided_copy.h"

namespace cuda_device::runtime {

// After what comes in order: a stream of the host device, or for a GPU the handle of a CUDA stream
// (0: the default one).
struct InOrder {
  std::shared_ptr<HostStream> host;  // null on the host device: at once
  uint64_t cuda = 0;
  std::shared_ptr<const void> keep{};  // of copies by a host stream: until they are done
};

struct Memory {
  uint64_t address = 0;  // aligned to 256 bytes; 0 where no bytes were requested
  bool zero = false;     // its bytes are known to be 0
};

// Allocates memory to be used in this order, or once the stream has come so far. Throws
// OutOfMemory, and cuda::DriverError for a GPU that fails.
Memory allocate(int device, abi::MemoryKind kind, uint64_t bytes, const InOrder& order);

// Makes memory available to allocations after this. False where the address is not the first of an
// allocation of the runtime. Throws nothing.
bool release(uint64_t address, const InOrder& order) noexcept;

// Whose it is: ours, or as the CUDA driver knows, or memory of the process.
abi::Allocation find_allocation(uint64_t address);

// Does the copy at once where all of it is in memory of the process and there is no stream; queues
// it otherwise. The memory must stay until it is done. `gpu`: whose CUDA stream it is, or
// kHostDevice where it needs none.
void copy(const StridedCopy& copy, int gpu, const InOrder& order);

// Elements of 1, 2 or 4 bytes; as copy.
void fill(uint64_t to, uint32_t element, int element_bytes, uint64_t count, int gpu,
          const InOrder& order);

abi::MemoryFigures memory_figures(int device);
// Gives unused memory back to the system.
void trim_memory(int device);

}  // namespace cuda_device::runtime
