// Memory of a started block: a stack for each of its threads, and its arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "runtime/host/fibres/slabs.h"

namespace cuda_device::runtime::fibres {

// Stacks of threads. A page costs memory once it was touched. Below each stack is a page that
// nobody may touch.
class Stacks {
 public:
  struct Shape {
    uint32_t threads = 0;
    size_t frame = 0;   // bytes that a thread's own code takes of its stack
    size_t arrays = 0;  // bytes
  };
  // Null memory: there is none.
  static Stacks take(const Shape& shape);
  Stacks() = default;
  ~Stacks() { give_back(); }
  Stacks(Stacks&& other) noexcept { *this = static_cast<Stacks&&>(other); }
  Stacks& operator=(Stacks&& other) noexcept {
    if (this == &other) return *this;
    give_back();
    layout_ = other.layout_;
    memory_ = std::exchange(other.memory_, {});
    return *this;
  }

  explicit operator bool() const { return memory_.memory != nullptr; }
  char* arrays() const { return memory_.memory; }  // aligned as pages are
  char* bottom(uint32_t thread) const;             // the lowest byte that may be touched
  char* top(uint32_t thread) const;                // aligned to a line of the cache
  uint32_t threads() const { return layout_.stacks; }

 private:
  void give_back() {
    if (memory_.memory) give_memory(memory_);
  }

  BlockLayout layout_;
  BlockMemory memory_;
};

// Bytes that a block is expected to touch.
size_t expected_bytes(const Stacks::Shape& shape);

}  // namespace cuda_device::runtime::fibres
