#include "runtime/cuda/gpu_memory.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "runtime/cuda/gpu_stream.h"
#include "runtime/cuda/on_gpu.h"
#include "runtime/memory/out_of_memory.h"
#include "support/fork.h"

namespace cuda_device::cuda {
namespace {

using abi::MemoryKind;

// Null: the device has none.
CUmemoryPool open_pool(int gpu) {
  const OnGpu on(gpu);
  const Driver& d = driver();
  int supported = 0;
  on.check(d.device_attribute(&supported, kMemoryPoolsSupported, on.handle()),
           "asking for memory pools");
  if (!supported) return nullptr;
  CUmemoryPool pool = nullptr;
  on.check(d.default_pool(&pool, on.handle()), "opening the GPU's memory pool");
  uint64_t all = UINT64_MAX;
  on.check(d.pool_set_attribute(pool, kReleaseThreshold, &all),
           "telling the GPU's memory pool to keep memory");
  return pool;
}

CUmemoryPool pool_of(int gpu) {
  static constinit std::array<MadeOnce<CUmemoryPool>, Gpu::kMost> pools;
  return pools[static_cast<size_t>(gpu)].get([gpu] { return open_pool(gpu); });
}

CUresult ask(int gpu, MemoryKind kind, uint64_t bytes, CUstream stream, CUdeviceptr* memory) {
  const Driver& d = driver();
  switch (kind) {
    case MemoryKind::Managed:
      return d.memory_alloc_managed(memory, bytes, kAttachGlobal);
    case MemoryKind::Pinned: {
      void* host = nullptr;
      const CUresult result = d.pinned_alloc(&host, bytes, kPinnedPortable | kPinnedDeviceMap);
      *memory = reinterpret_cast<CUdeviceptr>(host);
      return result;
    }
    default:
      return pool_of(gpu) ? d.memory_alloc_async(memory, bytes, stream)
                          : d.memory_alloc(memory, bytes);
  }
}

// Whether a stream that may be asked is being captured: the legacy one answers for the blocking
// ones of other libraries.
bool anything_is_captured(Context& context, CUstream stream) {
  if (captured(stream) || captured(reinterpret_cast<CUstream>(kLegacyStream))) return true;
  const auto all = context.streams();
  return std::any_of(all.begin(), all.end(), [](const auto& one) {
    return one->own() && captured(reinterpret_cast<CUstream>(one->handle()));
  });
}

// What is freed on streams comes back to the pool when they have come so far. A wait for a context
// ends the captures of its streams, whatever a thread is allowed.
void make_room(int gpu, const OnGpu& on, CUstream stream) {
  const Driver& d = driver();
  if (!anything_is_captured(on.context(), stream)) on.note(d.context_synchronize());
  if (const CUmemoryPool pool = pool_of(gpu)) d.pool_trim(pool, 0);
}

// Waits for the work of the stream, or of all streams where the driver does not know it any more.
// Where that fails too, memory is better never freed than under a kernel.
bool wait_for_its_work(const OnGpu& on, CUstream stream) {
  const Driver& d = driver();
  CUresult result = d.stream_synchronize(stream);
  if (result != kSuccess) result = d.context_synchronize();
  on.note(result);
  return result == kSuccess;
}

}  // namespace

CUdeviceptr allocate(int gpu, MemoryKind kind, uint64_t bytes, uint64_t handle) {
  auto* const stream = reinterpret_cast<CUstream>(handle);
  const OnGpu on(gpu);
  const Driver& d = driver();
  CUdeviceptr memory = 0;
  CUresult result = ask(gpu, kind, bytes, stream, &memory);
  if (result == kOutOfMemory) {
    make_room(gpu, on, stream);
    result = ask(gpu, kind, bytes, stream, &memory);
  }
  const std::string place = runtime::place_text(gpu, kind);
  if (result == kOutOfMemory) {
    FreeMemory left;
    d.memory_info(&left.free, &left.total);
    throw runtime::OutOfMemory(bytes, left.free, left.total, place);
  }
  on.check(result, ("allocating " + std::to_string(bytes) + " bytes of " + place).c_str());
  return memory;
}

void release(int gpu, MemoryKind kind, CUdeviceptr memory, uint64_t handle) noexcept try {
  auto* const stream = reinterpret_cast<CUstream>(handle);
  const OnGpu on(gpu);
  const Driver& d = driver();
  if (kind == MemoryKind::Device && pool_of(gpu)) {
    if (d.memory_free_async(memory, stream) == kSuccess) return;
    // The stream is gone, or the context lost: then this fails as well.
  }
  if (!wait_for_its_work(on, stream)) return;
  if (kind == MemoryKind::Pinned)
    d.pinned_free(reinterpret_cast<void*>(memory));
  else
    d.memory_free(memory);
} catch (const std::exception&) {
}

std::optional<abi::Allocation> allocation_at(uint64_t address) {
  if (!why_no_driver().empty() || !driver_works()) return std::nullopt;
  unsigned type = 0;
  uint64_t managed = 0;  // the driver writes a boolean of its own width
  int device = -1;
  CUdeviceptr base = 0, reached = 0;
  size_t bytes = 0;
  int wanted[] = {kPointerMemoryType, kPointerIsManaged, kPointerDeviceOrdinal,
                  kPointerRangeStart, kPointerRangeSize, kPointerDevicePointer};
  void* values[] = {&type, &managed, &device, &base, &bytes, &reached};
  constexpr unsigned kWanted = std::size(wanted);
  CUresult result = driver().pointer_attributes(kWanted, wanted, values, address);
  if (result == kInvalidContext) {
    const OnGpu on(0);
    result = driver().pointer_attributes(kWanted, wanted, values, address);
  }
  if (result != kSuccess || type == 0) return std::nullopt;
  const MemoryKind kind = managed                 ? MemoryKind::Managed
                          : type == kMemoryDevice ? MemoryKind::Device
                                                  : MemoryKind::Pinned;
  return abi::Allocation{base, bytes, device, kind, false, 0, reached};
}

FreeMemory free_memory(int gpu) {
  const OnGpu on(gpu);
  FreeMemory found;
  on.check(driver().memory_info(&found.free, &found.total), "asking for free memory");
  return found;
}

void trim(int gpu) {
  const OnGpu on(gpu);
  const CUmemoryPool pool = pool_of(gpu);
  if (pool) on.check(driver().pool_trim(pool, 0), "trimming the GPU's memory pool");
}

}  // namespace cuda_device::cuda
