// Memory that a thread keeps from one launch to the next.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

#include "abi/kernel_image.h"

namespace cuda_device::runtime {

// Grows, and never shrinks while the thread lives; aligned to kArenaAlign.
struct KeptMemory {
  KeptMemory() = default;
  ~KeptMemory() { std::free(memory); }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;
  void* memory = nullptr;
  size_t size = 0;
};

// Taken while it is used: a launch within a launch, by a handler of a signal, finds none and gets
// its own.
class TakenMemory {
 public:
  // Throws std::bad_alloc where there is none.
  TakenMemory(KeptMemory& kept, size_t bytes) : kept_(kept) {
    if (bytes == 0) return;
    memory_ = std::exchange(kept.memory, nullptr);
    size_ = std::exchange(kept.size, 0);
    if (size_ >= bytes) return;
    std::free(memory_);
    size_ = (bytes + kPage - 1) / kPage * kPage;
    memory_ = std::aligned_alloc(abi::kArenaAlign, size_);
    if (!memory_) throw std::bad_alloc();
  }
  // Keeps the larger one.
  ~TakenMemory() {
    if (size_ > kept_.size) {
      std::swap(memory_, kept_.memory);
      std::swap(size_, kept_.size);
    }
    std::free(memory_);
  }
  TakenMemory(const TakenMemory&) = delete;
  TakenMemory& operator=(const TakenMemory&) = delete;

  char* get() const { return static_cast<char*>(memory_); }

 private:
  static constexpr size_t kPage = 4096;

  KeptMemory& kept_;
  void* memory_ = nullptr;
  size_t size_ = 0;
};

}  // namespace cuda_device::runtime
