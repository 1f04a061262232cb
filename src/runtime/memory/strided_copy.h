// A copy from one strided array to another of the same shape, as rows without gaps on either side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_device::runtime {

struct StridedCopy {
  struct Axis {
    uint64_t extent;
    int64_t to, from;  // strides in bytes; `to` is never negative
  };
  uint64_t to = 0, from = 0;  // of the first row
  uint64_t bytes = 0;         // of a row; 0: nothing to copy
  std::vector<Axis> axes;     // the widest stride of `to` first
};

// The arrays must not overlap, and no two elements of `to` may be at one place.
StridedCopy strided_copy(uint64_t item_bytes, const std::vector<int64_t>& shape, uint64_t to,
                         const std::vector<int64_t>& to_strides, uint64_t from,
                         const std::vector<int64_t>& from_strides);

// Calls row(to, from) for the first `axes` axes: all of them, or those around an inner copy.
template <class Row>
void for_each_row(const StridedCopy& copy, size_t axes, Row&& row, size_t axis = 0,
                  int64_t to_offset = 0, int64_t from_offset = 0) {
  if (copy.bytes == 0) return;
  if (axis == axes)
    return row(copy.to + static_cast<uint64_t>(to_offset),
               copy.from + static_cast<uint64_t>(from_offset));
  const StridedCopy::Axis& a = copy.axes[axis];
  for (uint64_t i = 0; i < a.extent; ++i) {
    const auto n = static_cast<int64_t>(i);
    for_each_row(copy, axes, row, axis + 1, to_offset + n * a.to, from_offset + n * a.from);
  }
}

// Copies memory that the host reaches.
void copy_on_host(const StridedCopy& copy);

}  // namespace cuda_device::runtime
