// What is known of a launch beyond the types of its arguments. Facts are established at launch, are
// part of the specialisation key, and are the only things codegen may assume. Every fact has a
// generic fallback.
#pragma once

#include <array>
#include <cstdint>

namespace cuda_device {

// Of one array argument. All false is always correct.
struct ArrayFacts {
  bool unit_inner = false;       // stride of the last axis == item size (or its extent is <= 1)
  bool contiguous = false;       // C-contiguous
  bool aligned = false;          // data pointer is a multiple of 64
  bool element_aligned = false;  // data pointer and every stride are multiples of the item size
  bool read_only = false;        // the caller's array refuses writes
  bool fits_31 = false;          // every extent and the whole byte span |offset| is < 2**31
  bool no_alias = false;         // overlaps no other array argument of this launch
  bool beyond_cache = false;     // as large as the last-level cache, or larger
  friend bool operator==(const ArrayFacts&, const ArrayFacts&) = default;
};

struct LaunchFacts {
  // Block shape as compile-time constants; all zero = unknown (generic version).
  std::array<uint32_t, 3> block{0, 0, 0};
  bool grid_fits_31 = false;  // block_dim * grid_dim < 2**31 on every axis
  bool has_block() const { return block[0] != 0; }
  friend bool operator==(const LaunchFacts&, const LaunchFacts&) = default;
};

}  // namespace cuda_device
