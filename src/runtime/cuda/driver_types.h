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
using CUarray = struct CUarray_st*;
using CUmemoryPool = struct CUmemPoolHandle_st*;

inline constexpr CUresult kSuccess = 0;
inline constexpr CUresult kInvalidValue = 1;
inline constexpr CUresult kOutOfMemory = 2;
inline constexpr CUresult kInvalidContext = 201;
inline constexpr CUresult kNotReady = 600;
inline constexpr CUresult kContextIsDestroyed = 709;
inline constexpr CUresult kNotPermitted = 800;  // of any call by a function of the host
inline constexpr CUresult kNotSupported = 801;
inline constexpr CUresult kFirstOfCaptures = 900, kLastOfCaptures = 908;
inline constexpr CUresult kCaptureImplicit = 906;  // of the legacy stream beside a captured one
inline constexpr int kCaptureRelaxed = 2;

struct CUuuid {
  unsigned char bytes[16];
};

// The argument of cuLaunchKernelEx.
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
  kMemoryPoolsSupported = 115,
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
enum MemoryPoolAttribute : int {
  kReleaseThreshold = 4,  // uint64_t: bytes that the pool keeps when the device is synchronised
};
enum ContextLimit : int { kStackSize = 0 };  // of a thread, bytes
enum MemAttachFlag : unsigned { kAttachGlobal = 1 };
enum MemoryType : int { kMemoryHost = 1, kMemoryDevice = 2, kMemoryUnified = 4 };
enum PointerAttribute : int {
  kPointerMemoryType = 2,     // unsigned: a MemoryType; 0 where the driver does not know it
  kPointerDevicePointer = 3,  // CUdeviceptr: by which the current context reaches it
  kPointerIsManaged = 8,      // a boolean
  kPointerDeviceOrdinal = 9,  // int
  kPointerRangeStart = 11,    // CUdeviceptr
  kPointerRangeSize = 12,     // size_t
};

// CUDA_MEMCPY2D_v2.
struct Copy2D {
  size_t from_x_bytes = 0, from_y = 0;
  MemoryType from_type = kMemoryUnified;
  const void* from_host = nullptr;
  CUdeviceptr from = 0;
  CUarray from_array = nullptr;
  size_t from_pitch = 0;
  size_t to_x_bytes = 0, to_y = 0;
  MemoryType to_type = kMemoryUnified;
  void* to_host = nullptr;
  CUdeviceptr to = 0;
  CUarray to_array = nullptr;
  size_t to_pitch = 0;
  size_t width_bytes = 0, height = 0;
};
static_assert(sizeof(Copy2D) == 128);

}  // namespace cuda_device::cuda
