// C interface of libcuda_device_rt.so, the part about memory: as rt_api.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "abi/memory_kind.h"
#include "dispatch/rt_api.h"

namespace cuda_device::dispatch {

struct MemoryRequest {
  int device = abi::kHostDevice;
  abi::MemoryKind kind = abi::MemoryKind::Host;
  uint64_t bytes = 0;
  Stream* stream = nullptr;  // after whose work it is used; null: the GPU's default one, or at once
};

struct Memory {
  uint64_t address = 0;  // 0 where no bytes were requested
  bool zero = false;     // its bytes are known to be 0
};

// One element for each index within `shape`, from `from` to `to`; strides in bytes. No two elements
// of `to` are at one place, and the two do not overlap.
struct CopyRequest {
  uint64_t item_bytes = 1;
  std::vector<int64_t> shape, to_strides, from_strides;
  uint64_t to = 0, from = 0;
  int gpu = abi::kHostDevice;  // whose stream it is; kHostDevice: all is in the host's reach
  Stream* stream = nullptr;
  // On the host device, an object that is kept until the copy is done, then released on any thread,
  // without the GIL.
  std::shared_ptr<const void> keep{};
};

struct FillRequest {
  uint64_t to = 0, count = 0;
  uint32_t element = 0;
  int element_bytes = 1;  // 1, 2 or 4
  int gpu = abi::kHostDevice;
  Stream* stream = nullptr;
  std::shared_ptr<const void> keep{};
};

}  // namespace cuda_device::dispatch

#pragma GCC visibility push(default)
extern "C" {
// Status::OutOfMemory: outcome->shortage says how much was there.
void cd_rt_memory_allocate(const cuda_device::dispatch::MemoryRequest* request,
                           cuda_device::dispatch::Memory* memory,
                           cuda_device::dispatch::Outcome* outcome);
// Makes the memory available to allocations after this on the stream. False where no allocation of
// the runtime begins there.
bool cd_rt_memory_release(uint64_t address, cuda_device::dispatch::Stream* stream);
// Whose memory an address is: ours, what the CUDA driver knows, or the process's.
void cd_rt_memory_find(uint64_t address, cuda_device::abi::Allocation* found);

// Queued; the memory stays the caller's to keep until it is done. On the host device without a
// stream it is done when they return. Memory of the process that is not pinned is free for other
// use when a copy to or from a GPU returns.
void cd_rt_memory_copy(const cuda_device::dispatch::CopyRequest* request,
                       cuda_device::dispatch::Outcome* outcome);
void cd_rt_memory_fill(const cuda_device::dispatch::FillRequest* request,
                       cuda_device::dispatch::Outcome* outcome);

void cd_rt_memory_figures(int device, cuda_device::abi::MemoryFigures* figures,
                          cuda_device::dispatch::Outcome* outcome);
void cd_rt_memory_trim(int device, cuda_device::dispatch::Outcome* outcome);
}
#pragma GCC visibility pop
