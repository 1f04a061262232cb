// A word of memory that a thread waits for another thread to write.
#pragma once

#include <cstdint>

namespace cuda_device::runtime::fibres {

struct Word {
  const void* address = nullptr;  // null: none
  uint64_t value = 0;             // that the thread has read, zero-extended
  uint32_t bytes = 0;             // 1, 2, 4 or 8

  explicit operator bool() const { return address != nullptr; }
  friend bool operator==(const Word&, const Word&) = default;
  bool changed() const { return now() != value; }

 private:
  // The thread reads it again before it goes on, in the order that it asks for.
  template <class Int>
  uint64_t load() const {
    return __atomic_load_n(static_cast<const Int*>(address), __ATOMIC_RELAXED);
  }
  uint64_t now() const {
    switch (bytes) {
      case 1:
        return load<uint8_t>();
      case 2:
        return load<uint16_t>();
      case 4:
        return load<uint32_t>();
      default:
        return load<uint64_t>();
    }
  }
};

}  // namespace cuda_device::runtime::fibres
