#include "runtime/cuda/gpu_copies.h"

#include <climits>

#include "runtime/cuda/gpu.h"
#include "runtime/cuda/on_gpu.h"
#include "support/check.h"

namespace cuda_device::cuda {
namespace {

using runtime::StridedCopy;

constexpr const char* kCopying = "copying memory on the GPU";

// The driver takes rows at a pitch in one call: apart on both sides, and not too far.
bool has_pitch(const StridedCopy& copy) {
  if (copy.axes.empty()) return false;
  const auto fits = [&](int64_t stride) {
    return stride >= 0 && static_cast<uint64_t>(stride) >= copy.bytes && stride <= INT_MAX;
  };
  return fits(copy.axes.back().to) && fits(copy.axes.back().from);
}

void copy_pitched(const OnGpu& on, const StridedCopy& copy, uint64_t to, uint64_t from,
                  CUstream stream) {
  const StridedCopy::Axis& axis = copy.axes.back();
  Copy2D request;
  request.to = to;
  request.to_pitch = static_cast<size_t>(axis.to);
  request.from = from;
  request.from_pitch = static_cast<size_t>(axis.from);
  request.width_bytes = copy.bytes;
  request.height = axis.extent;
  on.check(driver().copy_2d_async(&request, stream), kCopying);
}

}  // namespace

void copy(int gpu, const StridedCopy& copy, uint64_t handle) {
  const OnGpu on(gpu);
  auto* const stream = reinterpret_cast<CUstream>(handle);
  const Driver& d = driver();
  if (has_pitch(copy))
    return for_each_row(copy, copy.axes.size() - 1, [&](uint64_t to, uint64_t from) {
      copy_pitched(on, copy, to, from, stream);
    });
  for_each_row(copy, copy.axes.size(), [&](uint64_t to, uint64_t from) {
    on.check(d.copy_async(to, from, copy.bytes, stream), kCopying);
  });
}

void fill(int gpu, CUdeviceptr to, uint32_t element, int element_bytes, uint64_t count,
          uint64_t handle) {
  if (count == 0) return;
  auto* const stream = reinterpret_cast<CUstream>(handle);
  const OnGpu on(gpu);
  const Driver& d = driver();
  const auto fill_with = [&] {
    switch (element_bytes) {
      case 1:
        return d.fill_8_async(to, static_cast<unsigned char>(element), count, stream);
      case 2:
        return d.fill_16_async(to, static_cast<unsigned short>(element), count, stream);
      case 4:
        return d.fill_32_async(to, element, count, stream);
      default:
        CD_UNREACHABLE("a fill with elements of another size");
    }
  };
  on.check(fill_with(), "filling memory on the GPU");
}

}  // namespace cuda_device::cuda
