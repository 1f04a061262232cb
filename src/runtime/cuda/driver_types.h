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
using CUevent = struct CUevent_st*;
using CUhostFn = void (*)(void*);

inline constexpr CUresult kSuccess = 0;
inline constexpr CUresult kInvalidContext = 201;
inline constexpr CUresult kNotReady = 600;
inline constexpr CUresult kNotSupported = 801;

struct CUuuid {
  unsigned char bytes[16];
};

// Of cuLaunchKernelEx.
struct CUlaunchConfig {
  unsigned grid[3];
  unsigned block[3];
  unsigned shared;  // dynamic, bytes
  CUstream stream;
  void* attributes;  // null where there are none
  unsigned attribute_count;
};
static_assert(offsetof(CUlaunchConfig, stream) == 32 && sizeof(CUlaunchConfig) == 56);

// Streams that are always there, in every context.
inline constexpr uint64_t kLegacyStream = 1, kPerThreadStream = 2;

enum DeviceAttribute : int {
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  kMaxSharedPerBlockOptIn = 97,
};
enum StreamFlag : unsigned { kStreamDefault = 0, kStreamNonBlocking = 1 };
enum EventFlag : unsigned { kEventDefault = 0, kEventDisableTiming = 2 };
enum StreamWaitValueFlag : unsigned { kWaitValueGreaterOrEqual = 0 };
enum PinnedFlag : unsigned { kPinnedPortable = 1, kPinnedDeviceMap = 2 };
enum JitOption : int {
  kJitErrorLogBuffer = 5,
  kJitErrorLogBufferSizeBytes = 6,
};
enum FunctionAttribute : int {
  kMaxDynamicSharedSizeBytes = 8,
};

}  // namespace cuda_device::cuda
