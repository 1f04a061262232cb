// Device copies of the host arrays of one launch. Arrays that overlap on the host share one copy,
// so aliasing is kept.
#pragma once

#include <cstdint>
#include <vector>

#include "abi/kernel_image.h"
#include "runtime/cuda/driver.h"

namespace cuda_device::cuda {

// Bytes [begin, end) of host memory that one or more array parameters reach.
struct Region {
  uint64_t begin = 0, end = 0;
  bool written = false;
  CUdeviceptr device = 0;
};

// Disjoint regions, in increasing order, that cover every array parameter.
std::vector<Region> regions_of(const abi::ParamLayout& layout, const char* params);

class ArrayCopies {
 public:
  // Allocates, copies to the device and rewrites the data pointers in `params`.
  ArrayCopies(const abi::ParamLayout& layout, char* params);
  ~ArrayCopies();
  ArrayCopies(const ArrayCopies&) = delete;
  ArrayCopies& operator=(const ArrayCopies&) = delete;
  void copy_back() const;

 private:
  void release();
  std::vector<Region> regions_;
};

}  // namespace cuda_device::cuda
