// Bytes that grow, without the heap while they are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace cuda_device::bindings {

template <size_t kInline>
class Buffer {
 public:
  // Room for `count` more bytes at the given alignment, a power of two; the bytes skipped are zero.
  // Valid until the next call.
  [[gnu::always_inline]] uint8_t* extend(size_t count, size_t alignment = 1) {
    const size_t at = (size_ + alignment - 1) & ~(alignment - 1), end = at + count;
    if (end > kInline) [[unlikely]]
      spill(end);
    uint8_t* base = data();
    for (size_t i = size_; i < at; ++i) base[i] = 0;
    size_ = end;
    return base + at;
  }
  template <class T>
  void append(const T& value, size_t alignment = 1) {
    std::memcpy(extend(sizeof value, alignment), &value, sizeof value);
  }
  uint8_t* data() { return heap_.empty() ? inline_ : heap_.data(); }
  size_t size() const { return size_; }

 private:
  [[gnu::noinline]] void spill(size_t end) {
    if (!heap_.empty() && end <= heap_.size()) return;
    std::vector<uint8_t> larger(end * 2);
    std::memcpy(larger.data(), data(), size_);
    heap_.swap(larger);
  }

  alignas(16) uint8_t inline_[kInline];
  std::vector<uint8_t> heap_;
  size_t size_ = 0;
};

}  // namespace cuda_device::bindings
