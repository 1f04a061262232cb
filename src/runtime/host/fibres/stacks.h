// Memory of a started block: a stack for each of its threads, and its arrays.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuda_device::runtime::fibres {

// One mapping of the system for a block: its arrays, then the stacks, of which each costs the pages
// that were touched. Below each stack is a page that nobody may touch, where the system has such
// pages without a mapping for each (Linux 6.13), or else while there are few: a process has 65,530
// mappings. What is given back is kept for the next block, of any launch.
class Stacks {
 public:
  struct Shape {
    uint32_t threads = 0;
    size_t frame = 0;   // bytes that a thread's own code takes of its stack
    size_t arrays = 0;  // bytes
    friend bool operator==(const Shape&, const Shape&) = default;
  };
  // Null memory: there is none.
  static Stacks take(const Shape& shape);
  Stacks() = default;
  ~Stacks() { give_back(); }
  Stacks(Stacks&& other) noexcept { *this = static_cast<Stacks&&>(other); }
  Stacks& operator=(Stacks&& other) noexcept;

  explicit operator bool() const { return memory_ != nullptr; }
  char* arrays() const { return memory_; }  // aligned as pages are
  char* bottom(uint32_t thread) const;      // the lowest byte that may be touched
  char* top(uint32_t thread) const;         // aligned to a line of the cache
  uint32_t threads() const { return shape_.threads; }

 private:
  friend class StacksKept;
  static Stacks map(const Shape& shape);
  void give_back();
  void unmap();
  void guard();
  size_t arrays_size() const;
  size_t stride() const;
  size_t size() const { return arrays_size() + stride() * shape_.threads; }

  Shape shape_;
  char* memory_ = nullptr;
  uint32_t mappings_ = 0;
};

// Bytes that a block is expected to touch.
size_t expected_bytes(const Stacks::Shape& shape);

// What is kept for blocks to come, in bytes of address space; at most a 64th of the machine's
// memory.
size_t kept_bytes();

}  // namespace cuda_device::runtime::fibres
