// The few types of the CUDA driver's C interface that we use, declared here so that nothing of CUDA
// is needed to build. Values as in the driver's documentation; they are part of its stable ABI.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuda_device::cuda {

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = struct CUctx_st*;
using CUstream = struct CUstream_st*;
using CUlibrary = struct CUlib_st*;
using CUkernel = struct CUkern_st*;
using CUfunction = struct CUfunc_st*;

inline constexpr CUresult kSuccess = 0;

enum DeviceAttribute : int {
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
};
enum JitOption : int {
  kJitErrorLogBuffer = 5,
  kJitErrorLogBufferSizeBytes = 6,
};
enum FunctionAttribute : int {
  kMaxDynamicSharedSizeBytes = 8,
};

}  // namespace cuda_device::cuda
