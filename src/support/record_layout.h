// Where a C++ compiler puts the members of a class: the one rule for vectors, tuples and structs
// (DEV-ABI-06, DEV-ABI-08, DEV-STRUCT-11).
#pragma once

#include <algorithm>
#include <cstdint>

namespace cuda_device {

inline constexpr uint32_t kMostVectorAlign = 16;

// One and three components are aligned as one is; two and four as a whole, to 16 bytes at most.
constexpr uint32_t vector_align(uint32_t component_bytes, int lanes) {
  const bool whole = lanes == 2 || lanes == 4;
  const uint32_t all = component_bytes * static_cast<uint32_t>(lanes);
  return whole ? std::min(kMostVectorAlign, all) : component_bytes;
}

constexpr uint64_t round_up(uint64_t bytes, uint64_t align) {
  return (bytes + align - 1) / align * align;
}

// Members one after the other, as they are declared.
class MemberLayout {
 public:
  // The offset of the next member.
  constexpr uint64_t add(uint64_t size, uint64_t align) {
    align_ = std::max(align_, align);
    const uint64_t offset = round_up(end_, align);
    end_ = offset + size;
    return offset;
  }
  // alignas(align) in front of the class.
  constexpr void align_to(uint64_t align) { align_ = std::max(align_, align); }

  constexpr uint64_t align() const { return align_; }
  // With what fills it up to a multiple of its alignment; a class without members has a byte.
  constexpr uint64_t size() const { return round_up(std::max<uint64_t>(end_, 1), align_); }

 private:
  uint64_t end_ = 0, align_ = 1;
};

}  // namespace cuda_device
