// Memory of started blocks, taken from the system for many blocks at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuda_device::runtime::fibres {

inline constexpr size_t kPage = 4096;

// The memory of one block: its arrays, then its stacks. The first page of each stack's part is its
// guard, which nobody may touch.
struct BlockLayout {
  size_t arrays = 0;  // bytes, whole pages
  size_t stride = 0;  // of stacks, in bytes, whole pages
  uint32_t stacks = 0;
  size_t size() const { return arrays + stride * stacks; }
  friend bool operator==(const BlockLayout&, const BlockLayout&) = default;
};

class Slab;

// Memory of one block, in a mapping with that of others of the same layout. A process has 65,530
// mappings, and more blocks than that may wait for each other. Where the system has guards without
// a mapping for each (Linux 6.13), all stacks have one; or else while there are few.
struct BlockMemory {
  char* memory = nullptr;  // null: there is none
  Slab* slab = nullptr;
};

BlockMemory take_memory(const BlockLayout& layout);
// Kept for the next block of this layout, of any launch, or given back to the system.
void give_memory(const BlockMemory& memory);

// What is kept for blocks to come, in bytes of address space; at most a 64th of the machine's
// memory.
size_t kept_bytes();

}  // namespace cuda_device::runtime::fibres
