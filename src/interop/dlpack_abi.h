// DLPack as it lies in memory (DEV-DLP-08): the structs that producers hand over in capsules.
#pragma once

#include <cstdint>

namespace cuda_device::interop::dlpack {

enum DeviceType : int32_t {
  kCpu = 1,
  kCuda = 2,
  kCudaHost = 3,
  kOpenCl = 4,
  kVulkan = 7,
  kMetal = 8,
  kRocm = 10,
  kRocmHost = 11,
  kCudaManaged = 13,
  kOneApi = 14
};
enum TypeCode : uint8_t {
  kInt = 0,
  kUint = 1,
  kFloat = 2,
  kOpaque = 3,
  kBfloat = 4,
  kComplex = 5,
  kBool = 6,
  kFloat8E4m3 = 10,
  kFloat8E5m2 = 12,
};

struct Device {
  int32_t type;
  int32_t id;
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void* data;  // null where there are no elements
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: compact, row by row
  uint64_t byte_offset;
};

// Before version 1: nothing says which version, or whether writing is allowed.
struct Managed {
  static constexpr const char* kCapsule = "dltensor";
  static constexpr const char* kUsedCapsule = "used_dltensor";

  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);  // may be null
};

struct Version {
  uint32_t major;
  uint32_t minor;
};

// What readers of version 1.0 know; later minor versions keep the structs.
inline constexpr Version kVersion = {1, 0};

inline constexpr uint64_t kReadOnlyFlag = 1;

// Since version 1. Of another major version, only version, context and deleter lie where we know.
struct ManagedVersioned {
  static constexpr const char* kCapsule = "dltensor_versioned";
  static constexpr const char* kUsedCapsule = "used_dltensor_versioned";

  Version version;
  void* context;
  void (*deleter)(ManagedVersioned*);  // may be null
  uint64_t flags;
  Tensor tensor;
};

// The C functions of a library's tensors, which spare a call of Python's (since DLPack 1.3): a
// class has them in a capsule, its attribute __dlpack_c_exchange_api__. They order no work of
// streams. 0 says that it went well, else a Python exception is set.
struct ExchangeHeader {
  Version version;
  ExchangeHeader* older;  // of another major version; may be null
};
struct ExchangeApi {
  static constexpr const char* kCapsule = "dlpack_exchange_api";
  using SetError = void (*)(void* context, const char* kind, const char* message);

  ExchangeHeader header;
  int (*managed_tensor_allocator)(Tensor* prototype, ManagedVersioned** made, void* context,
                                  SetError set_error);
  int (*managed_tensor_from_py_object_no_sync)(void* object, ManagedVersioned** made);
  int (*managed_tensor_to_py_object_no_sync)(ManagedVersioned* tensor, void** object);
  int (*dltensor_from_py_object_no_sync)(void* object, Tensor* seen);  // may be null
  int (*current_work_stream)(int32_t device_type, int32_t device_id, void** stream);
};
inline constexpr Version kExchangeVersion = {1, 3};

static_assert(sizeof(ExchangeApi) == 56);
static_assert(sizeof(Tensor) == 48 && sizeof(Managed) == 64 && sizeof(ManagedVersioned) == 80);

}  // namespace cuda_device::interop::dlpack
