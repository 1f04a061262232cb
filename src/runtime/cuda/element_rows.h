// The bytes of an array's elements: a strided array leaves gaps between them, which are not its
// own.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "abi/kernel_image.h"

namespace cuda_device::cuda {

// Rows of `bytes` without gaps, repeated along the axes.
struct ElementRows {
  struct Axis {
    int64_t extent;
    int64_t stride;  // bytes; never negative: a reversed axis is counted from its other end
  };
  uint64_t begin = 0;
  uint64_t bytes = 0;      // 0: no elements
  std::vector<Axis> axes;  // the widest stride first; strides of 0 are left out

  uint64_t end() const;  // after the last element
};

ElementRows rows_of(const abi::ParamSlot& slot, const char* params);

// Calls row(address) for the first byte of each row. Rows of an array that overlaps itself may
// share bytes.
void for_each_row(const ElementRows& rows, const std::function<void(uint64_t address)>& row);

}  // namespace cuda_device::cuda
