#include "interop/dlpack_tensor.h"

#include <algorithm>

#include "interop/dlpack_type.h"
#include "interop/span.h"

namespace cuda_device::interop::dlpack {
namespace {

using Refused = std::optional<Refusal>;

Refused refused(std::string why) { return Refusal{DiagCode::dlpack_refused, {std::move(why)}}; }

const char* device_name(int64_t type) {
  switch (type) {
    case kCpu:
      return "the CPU";
    case kCuda:
      return "a CUDA GPU";
    case kCudaHost:
      return "pinned CUDA host memory";
    case kCudaManaged:
      return "managed CUDA memory";
    case kOneApi:
      return "a oneAPI device";
    case kOpenCl:
      return "an OpenCL device";
    case kVulkan:
      return "a Vulkan device";
    case kMetal:
      return "a Metal device";
    case kRocm:
      return "a ROCm GPU";
    default:
      return "a device of an unknown kind";
  }
}

Refused refuse_version(Version version) {
  if (version.major == kVersion.major) return std::nullopt;
  return refused("DLPack version " + std::to_string(version.major) + "." +
                 std::to_string(version.minor) + " is not known");
}

Refused refuse_dims(const Tensor& tensor) {
  if (tensor.ndim < 0 || tensor.ndim > abi::kMaxDims)
    return Refusal{DiagCode::argument_dims, {std::to_string(tensor.ndim)}};
  if (tensor.ndim > 0 && !tensor.shape) return refused("the tensor has dimensions but no shape");
  return std::nullopt;
}

// A tensor without strides has its rows one after the other.
Refused read_axes(const Tensor& tensor, abi::ArrayView& view) {
  const int64_t item = bytes_of(tensor.dtype);
  int64_t compact = item;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    const int64_t extent = tensor.shape[i];
    if (extent < 0)
      return refused("axis " + std::to_string(i) + " has the extent " + std::to_string(extent));
    view.shape[i] = extent;
    view.strides[i] = compact;
    if (tensor.strides && __builtin_mul_overflow(tensor.strides[i], item, &view.strides[i]))
      return refused("the stride of axis " + std::to_string(i) + " does not fit 64 bits in bytes");
    if (__builtin_mul_overflow(compact, std::max<int64_t>(extent, 1), &compact))
      return refused("the size of the tensor does not fit 64 bits in bytes");
  }
  return std::nullopt;
}

// No pointer arithmetic: nothing says that the offset lies within what `data` points to.
Refused read_data(const Tensor& tensor, abi::ArrayView& view) {
  uintptr_t data = 0;
  const bool fits =
      !__builtin_add_overflow(reinterpret_cast<uintptr_t>(tensor.data), tensor.byte_offset, &data);
  view.data = reinterpret_cast<void*>(data);
  const std::optional<Span> span = span_of(view, bytes_of(tensor.dtype));
  if (span && span->low == span->high) return std::nullopt;
  if (!tensor.data) return refused("the tensor has elements but no memory");
  if (!fits || !span) return refused("the elements of the tensor do not fit the address space");
  return std::nullopt;
}

// Mostly tensors are small, and have numbers of the CPU row by row: one pass reads those. False:
// anything else, also what is wrong.
bool read_compact(const Tensor& tensor, abi::ArrayView& view) {
  constexpr int64_t kSmall = int64_t{1} << 31;
  const std::optional<ScalarKind> scalar = scalar_of(tensor.dtype);
  const bool plain = scalar && tensor.device.type == kCpu && tensor.data && tensor.shape &&
                     tensor.ndim >= 0 && tensor.ndim <= abi::kMaxDims;
  if (!plain) return false;
  const int64_t item = cuda_device::bytes_of(*scalar);
  int64_t count = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    const int64_t extent = tensor.shape[i];
    const bool follows = !tensor.strides || tensor.strides[i] == count;
    if (extent <= 0 || extent >= kSmall || !follows) return false;
    view.shape[i] = extent;
    view.strides[i] = count * item;
    count *= extent;
    if (count >= kSmall) return false;
  }
  const auto start = reinterpret_cast<int64_t>(tensor.data);  // the last half is nobody's
  int64_t data = 0, end = 0;
  if (start <= 0 || __builtin_add_overflow(start, tensor.byte_offset, &data) ||
      __builtin_add_overflow(data, count * item, &end))
    return false;
  view.data = reinterpret_cast<void*>(data);
  view.dtype = *scalar;
  view.ndim = tensor.ndim;
  return true;
}

}  // namespace

Refused read(const Tensor& tensor, bool read_only, abi::ArrayView& view) {
  if (read_compact(tensor, view)) [[likely]] {
    view.read_only = read_only;
    view.device_type = kCpu;
    view.device_id = tensor.device.id;
    return std::nullopt;
  }
  if (Refused r = read_type(tensor.dtype, view.dtype)) return r;
  if (Refused r = refuse_device(tensor.device.type)) return r;
  if (Refused r = refuse_dims(tensor)) return r;
  view.ndim = tensor.ndim;
  view.read_only = read_only;
  view.device_type = tensor.device.type;
  view.device_id = tensor.device.id;
  if (Refused r = read_axes(tensor, view)) return r;
  return read_data(tensor, view);
}

Refused refuse_device(int64_t type, bool gpus) {
  if (type == kCpu || type == kCudaHost || type == kCudaManaged || (type == kCuda && gpus))
    return std::nullopt;
  return Refusal{
      DiagCode::argument_device,
      {std::string(device_name(type)) + " (DLPack device type " + std::to_string(type) + ")"}};
}

Refused read(const ManagedVersioned& managed, abi::ArrayView& view) {
  if (Refused r = refuse_version(managed.version)) return r;
  return read(managed.tensor, (managed.flags & kReadOnlyFlag) != 0, view);
}

}  // namespace cuda_device::interop::dlpack
