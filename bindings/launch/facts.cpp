#include "bindings/launch/facts.h"

#include <algorithm>

#include "driver/rt/rt_api.h"

namespace cuda_device::bindings {
namespace {

constexpr int64_t kLimit31 = int64_t{1} << 31;

// What the axes say, in one walk: a launch takes it for every array.
struct Walk {
  int64_t low = 0, high = 0;  // offsets of the first and the last element's first bytes
  int64_t bytes = 0;          // of all elements, packed
  int64_t bits = 0;           // of all strides
  bool contiguous = true, empty = false, small = true;
  bool reach_fits = true, bytes_fit = true;  // 64 bits
};

Walk walk(const abi::ArrayView& view, int64_t item) {
  Walk w;
  w.bytes = item;
  for (int i = view.ndim - 1; i >= 0; --i) {
    const int64_t extent = view.shape[i], stride = view.strides[i];
    w.bits |= stride;
    w.small &= extent < kLimit31 && stride < kLimit31 && stride > -kLimit31;
    if (extent > 1) {
      int64_t reach;
      w.contiguous &= stride == w.bytes;
      w.reach_fits &= !__builtin_mul_overflow(extent - 1, stride, &reach);
      int64_t& side = reach < 0 ? w.low : w.high;
      w.reach_fits &= !__builtin_add_overflow(side, reach, &side);
    }
    w.empty |= extent == 0;
    w.bytes_fit &= !__builtin_mul_overflow(w.bytes, extent, &w.bytes);
  }
  return w;
}

// What a kernel that writes all elements writes: not more than they are, nor than they span.
uint64_t bytes_written(const Walk& w, int64_t item) {
  if (w.empty) return 0;
  const uint64_t bytes = w.bytes_fit ? static_cast<uint64_t>(w.bytes) : UINT64_MAX;
  if (!w.reach_fits) return bytes;
  const uint64_t span = static_cast<uint64_t>(w.high) - static_cast<uint64_t>(w.low);
  return std::min(bytes, span + static_cast<uint64_t>(item));
}

}  // namespace

ArrayKnowledge knowledge_of(const abi::ArrayView& view) {
  const int64_t item = bytes_of(view.dtype);
  const int last = view.ndim - 1;
  const Walk w = walk(view, item);
  const uintptr_t data = reinterpret_cast<uintptr_t>(view.data);
  const bool unit_inner = last < 0 || view.shape[last] <= 1 || view.strides[last] == item;
  const bool contiguous = w.empty || (w.contiguous && w.bytes_fit);
  // Sizes of elements are powers of two.
  const bool element_aligned = ((static_cast<int64_t>(data) | w.bits) & (item - 1)) == 0;
  const bool fits_31 = w.small && w.reach_fits && w.high + item < kLimit31 && w.low > -kLimit31;
  const bool beyond_cache = !view.read_only && bytes_written(w, item) >= cd_rt_beyond_cache_bytes();
  // Only stores past the cache ask: elsewhere it would make two kernels of one.
  const bool aligned = beyond_cache && data % 64 == 0;
  ArrayKnowledge known;
  known.facts = static_cast<FactBits>(
      CD_FACT_BIT(unit_inner) * unit_inner | CD_FACT_BIT(contiguous) * contiguous |
      CD_FACT_BIT(aligned) * aligned | CD_FACT_BIT(element_aligned) * element_aligned |
      CD_FACT_BIT(read_only) * view.read_only | CD_FACT_BIT(fits_31) * fits_31 |
      CD_FACT_BIT(beyond_cache) * beyond_cache);
  if (!w.reach_fits)
    known.range = {0, UINTPTR_MAX};
  else if (!w.empty)
    known.range = {data + static_cast<uintptr_t>(w.low),
                   data + static_cast<uintptr_t>(w.high + item)};
  return known;
}

}  // namespace cuda_device::bindings
