// a[i, 2:5, ..., None] of a strided array: the part that is meant, in the same memory.
#pragma once

#include <cstdint>
#include <vector>

#include "bindings/python.h"

namespace cuda_device::bindings {

struct Part {
  int64_t offset = 0;  // bytes from the first element
  std::vector<int64_t> shape, strides;
};

// Throws IndexError for an index out of range or too many of them, TypeError for one of another
// kind.
Part part_of(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides,
             nb::handle index);

}  // namespace cuda_device::bindings
