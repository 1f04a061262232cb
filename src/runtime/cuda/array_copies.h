// Device copies of the host arrays of one launch. Arrays that overlap on the host share one copy,
// so aliasing is kept.
#pragma once

#include <cstdint>
#include <vector>

#include "abi/kernel_image.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/element_rows.h"

namespace cuda_device::cuda {

// Bytes [begin, end) of host memory that one or more array parameters reach.
struct Region {
  uint64_t begin = 0, end = 0;
  std::vector<ElementRows> written;  // of the arrays in it that are not read-only
  CUdeviceptr device = 0;
  // Whether all its bytes may be written, so that it can come back in one piece.
  bool all_written() const;
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
  // Writes the elements of the arrays that are not read-only, and no other byte of the host.
  void copy_back() const;

 private:
  void release();
  std::vector<Region> regions_;
};

}  // namespace cuda_device::cuda
