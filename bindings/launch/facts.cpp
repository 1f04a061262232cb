#include "bindings/launch/facts.h"

#include <algorithm>

#include "driver/rt/rt_api.h"

namespace cuda_device::bindings {
namespace {

constexpr int64_t kLimit31 = int64_t{1} << 31;

// Offsets of the first and last byte from the data pointer; false where they do not fit 64 bits.
struct Extent {
  int64_t low = 0, high = 0;
  bool empty = false;
  bool valid = true;
};

Extent extent_of(const abi::ArrayView& view) {
  Extent extent;
  for (int i = 0; i < view.ndim; ++i) {
    if (view.shape[i] == 0) extent.empty = true;
    int64_t reach;
    if (view.shape[i] <= 1) continue;
    if (__builtin_mul_overflow(view.shape[i] - 1, view.strides[i], &reach))
      return {0, 0, false, false};
    int64_t& side = reach < 0 ? extent.low : extent.high;
    if (__builtin_add_overflow(side, reach, &side)) return {0, 0, false, false};
  }
  return extent;
}

bool is_contiguous(const abi::ArrayView& view, int64_t item) {
  int64_t expected = item;
  for (int i = view.ndim - 1; i >= 0; --i) {
    if (view.shape[i] == 0) return true;
    if (view.shape[i] != 1 && view.strides[i] != expected) return false;
    if (__builtin_mul_overflow(expected, view.shape[i], &expected)) return false;
  }
  return true;
}

// Sizes of elements are powers of two; a launch cannot wait for a division an axis.
bool multiples_of(const abi::ArrayView& view, int64_t item) {
  int64_t all = static_cast<int64_t>(reinterpret_cast<uintptr_t>(view.data));
  for (int i = 0; i < view.ndim; ++i) all |= view.strides[i];
  return (all & (item - 1)) == 0;
}

bool fits_31(const abi::ArrayView& view, const Extent& extent, int64_t item) {
  if (!extent.valid || extent.high + item >= kLimit31 || extent.low <= -kLimit31) return false;
  for (int i = 0; i < view.ndim; ++i) {
    if (view.shape[i] >= kLimit31) return false;
    if (view.strides[i] >= kLimit31 || view.strides[i] <= -kLimit31) return false;
  }
  return true;
}

// What a kernel that writes all elements writes: not more than they are, nor than they span.
uint64_t bytes_written(const abi::ArrayView& view, const Extent& extent, int64_t item) {
  if (extent.empty) return 0;
  uint64_t bytes = static_cast<uint64_t>(item);
  for (int i = 0; i < view.ndim; ++i)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(view.shape[i]), &bytes))
      bytes = UINT64_MAX;
  if (!extent.valid) return bytes;
  return std::min(bytes, static_cast<uint64_t>(extent.high) - static_cast<uint64_t>(extent.low) +
                             static_cast<uint64_t>(item));
}

}  // namespace

ArrayKnowledge knowledge_of(const abi::ArrayView& view) {
  int64_t item = bytes_of(view.dtype);
  int last = view.ndim - 1;
  Extent extent = extent_of(view);
  uintptr_t data = reinterpret_cast<uintptr_t>(view.data);
  ArrayKnowledge known;
  known.facts.unit_inner = last < 0 || view.shape[last] <= 1 || view.strides[last] == item;
  known.facts.contiguous = is_contiguous(view, item);
  known.facts.element_aligned = multiples_of(view, item);
  known.facts.read_only = view.read_only;
  known.facts.fits_31 = fits_31(view, extent, item);
  known.facts.no_alias = true;
  known.facts.beyond_cache =
      !view.read_only && bytes_written(view, extent, item) >= cd_rt_beyond_cache_bytes();
  // Only stores past the cache ask: elsewhere it would make two kernels of one.
  known.facts.aligned = known.facts.beyond_cache && data % 64 == 0;
  if (!extent.valid)
    known.range = {0, UINTPTR_MAX};
  else if (!extent.empty)
    known.range = {data + static_cast<uintptr_t>(extent.low),
                   data + static_cast<uintptr_t>(extent.high + item)};
  return known;
}

}  // namespace cuda_device::bindings
