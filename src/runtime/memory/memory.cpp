#include "runtime/memory/memory.h"

#include <cstring>

#include "runtime/cuda/gpu_copies.h"
#include "runtime/cuda/gpu_memory.h"
#include "runtime/memory/host_pool.h"
#include "runtime/memory/out_of_memory.h"
#include "runtime/memory/registry.h"

namespace cuda_device::runtime {
namespace {

using abi::Allocation;
using abi::kHostDevice;
using abi::MemoryKind;

Memory allocate_on_host(uint64_t bytes, const InOrder& order) {
  const HostPool::Block block = host_pool().allocate(bytes, order.host);
  if (block.memory) return {reinterpret_cast<uint64_t>(block.memory), block.zero};
  throw OutOfMemory(bytes, free_bytes(), total_bytes(), place_text(kHostDevice, MemoryKind::Host));
}

void give_back(const Allocation& was, const InOrder& order) noexcept {
  if (was.device == kHostDevice)
    host_pool().release(reinterpret_cast<void*>(was.base), was.bytes, order.host);
  else
    cuda::release(was.device, was.kind, was.base, order.cuda);
}

template <class Element>
void fill_on_host(uint64_t to, uint32_t element, uint64_t count) {
  const auto value = static_cast<Element>(element);
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(reinterpret_cast<char*>(to) + i * sizeof value, &value, sizeof value);
}

void fill_on_host(uint64_t to, uint32_t element, int element_bytes, uint64_t count) {
  if (count == 0) return;
  if (element_bytes == 1)
    std::memset(reinterpret_cast<void*>(to), static_cast<uint8_t>(element), count);
  else if (element_bytes == 2)
    fill_on_host<uint16_t>(to, element, count);
  else
    fill_on_host<uint32_t>(to, element, count);
}

// Does the work at once, or queues it on the stream.
template <class Work>
void on_host(const InOrder& order, Work work) {
  if (!order.host) return work();
  order.host->enqueue([work = std::move(work), keep = order.keep] { work(); });
}

}  // namespace

Memory allocate(int device, MemoryKind kind, uint64_t bytes, const InOrder& order) {
  if (bytes == 0) return {};
  Memory memory;
  if (device == kHostDevice)
    memory = allocate_on_host(bytes, order);
  else
    memory.address = cuda::allocate(device, kind, bytes, order.cuda);
  const Allocation made{memory.address, bytes, device, kind, true};
  try {
    registry::add(made);
  } catch (...) {
    give_back(made, order);
    throw;
  }
  return memory;
}

bool release(uint64_t address, const InOrder& order) noexcept {
  if (address == 0) return true;
  const std::optional<Allocation> was = registry::remove(address);
  if (was) give_back(*was, order);
  return was.has_value();
}

Allocation find_allocation(uint64_t address) {
  if (const auto ours = registry::find(address)) return *ours;
  return cuda::allocation_at(address).value_or(Allocation());
}

void copy(const StridedCopy& copy, int gpu, const InOrder& order) {
  if (gpu == kHostDevice)
    on_host(order, [copy] { copy_on_host(copy); });
  else
    cuda::copy(gpu, copy, order.cuda);
}

void fill(uint64_t to, uint32_t element, int element_bytes, uint64_t count, int gpu,
          const InOrder& order) {
  if (gpu == kHostDevice)
    on_host(order, [=] { fill_on_host(to, element, element_bytes, count); });
  else
    cuda::fill(gpu, to, element, element_bytes, count, order.cuda);
}

abi::MemoryFigures memory_figures(int device) {
  const registry::Total ours = registry::total_of(device);
  abi::MemoryFigures figures;
  figures.in_use = ours.bytes;
  figures.allocations = ours.allocations;
  if (device == kHostDevice) {
    figures.free = free_bytes();
    figures.total = total_bytes();
    figures.kept = host_pool().kept();
  } else {
    const cuda::FreeMemory found = cuda::free_memory(device);
    figures.free = found.free;
    figures.total = found.total;
  }
  return figures;
}

void trim_memory(int device) {
  if (device == kHostDevice)
    host_pool().trim(0);
  else
    cuda::trim(device);
}

}  // namespace cuda_device::runtime
