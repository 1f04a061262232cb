// A strided array as the runtime sees it: whatever protocol it came by.
#pragma once

#include <cstdint>

#include "support/dtype.h"

namespace cuda_device::abi {

inline constexpr int kMaxDims = 64;  // NumPy's limit; more is refused at launch

struct ArrayView {
  void* data = nullptr;
  DtypeId dtype;  // of its elements
  int ndim = 0;
  bool read_only = false;
  int32_t device_type = 1;  // DLPack's: 1 CPU, 2 CUDA, 3 CUDA host, 13 CUDA managed
  int32_t device_id = 0;
  int64_t shape[kMaxDims];
  int64_t strides[kMaxDims];  // bytes
};

}  // namespace cuda_device::abi
