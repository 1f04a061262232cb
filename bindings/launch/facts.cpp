#include "bindings/launch/facts.h"

#include <algorithm>

namespace cuda_device::bindings {
namespace {

// That a kernel reads or writes with all elements: not more than they are, nor than they span.
uint64_t bytes_touched(uint64_t packed, bool reach_fits, int64_t low, int64_t high, int64_t item) {
  if (!reach_fits) return packed;
  const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  return std::min(packed, span + static_cast<uint64_t>(item));
}

}  // namespace

// One loop over the axes finds all, since a launch takes it for many arrays; and in variables, not
// in a struct, which the compiler would copy as a block.
ArrayKnowledge knowledge_of_strided(const StridedArray& array, const Knowing& by) {
  const int64_t item = by.dtypes.bytes_of(array.dtype), align = by.dtypes.align_of(array.dtype);
  int64_t low = 0, high = 0;  // offsets of the first and the last element
  int64_t packed = item;      // bytes of all elements
  int64_t strides = 0;        // their bits
  bool contiguous = true, empty = false, small = true, reach_fits = true, packed_fits = true;
  for (int i = array.ndim - 1; i >= 0; --i) {
    const int64_t extent = array.shape[i], stride = array.strides[i];
    strides |= stride;
    small &= extent < kLimit31 && stride < kLimit31 && stride > -kLimit31;
    if (extent > 1) {
      int64_t reach;
      contiguous &= stride == packed;
      reach_fits &= !__builtin_mul_overflow(extent - 1, stride, &reach);
      int64_t& side = reach < 0 ? low : high;
      reach_fits &= !__builtin_add_overflow(side, reach, &side);
    }
    empty |= extent == 0;
    packed_fits &= !__builtin_mul_overflow(packed, extent, &packed);
  }
  const int last = array.ndim - 1;
  const uintptr_t data = array.data;
  const bool unit_inner = last < 0 || array.shape[last] <= 1 || array.strides[last] == item;
  const bool element_aligned = ((static_cast<int64_t>(data) | strides) & (align - 1)) == 0;
  const bool fits_31 = small && reach_fits && high + item < kLimit31 && low > -kLimit31;
  const uint64_t bytes = packed_fits ? static_cast<uint64_t>(packed) : UINT64_MAX;
  // What the host's caches are asked for would make two kernels of one for GPUs.
  const bool beyond_cache =
      !array.on_gpu && !empty &&
      bytes_touched(bytes, reach_fits, low, high, item) >= by.beyond_cache_bytes;
  // Only streaming stores ask: elsewhere it would make two kernels of one.
  const bool aligned = beyond_cache && !array.read_only && data % 64 == 0;
  contiguous = empty || (contiguous && packed_fits);
  using F = ArrayFact;
  const FactBits facts = bit(F::unit_inner) * unit_inner | bit(F::contiguous) * contiguous |
                         bit(F::aligned) * aligned | bit(F::element_aligned) * element_aligned |
                         bit(F::read_only) * array.read_only | bit(F::fits_31) * fits_31 |
                         bit(F::beyond_cache) * beyond_cache;
  if (!reach_fits) return {facts, {0, UINTPTR_MAX}};
  if (empty) return {facts, {}};
  return {facts, {data + static_cast<uintptr_t>(low), data + static_cast<uintptr_t>(high + item)}};
}

}  // namespace cuda_device::bindings
