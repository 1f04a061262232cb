// What is known of an array argument: see support/facts.h.
#pragma once

#include "abi/array_view.h"
#include "interop/dlpack_abi.h"
#include "support/facts.h"

namespace cuda_device::bindings {

// Bytes [low, high) that the elements of an array lie in; empty for an array without elements.
struct ByteRange {
  uintptr_t low = 0, high = 0;
};

// Facts are bits in the path of a launch, never bools in memory, which would be written one by one
// and read at once.
struct ArrayKnowledge {
  FactBits facts = 0;  // no_alias is left to the caller, which compares the ranges of all arrays
  ByteRange range;
};

// An array as it is given to a launch: its axes stay where its library keeps them.
struct StridedArray {
  DtypeId dtype;
  int ndim;
  bool read_only;
  bool on_gpu;  // the host does not reach its memory
  uint64_t data;
  const int64_t *shape, *strides;  // strides in bytes
};

inline StridedArray strided(const abi::ArrayView& view) {
  return {view.dtype,
          view.ndim,
          view.read_only,
          view.device_type == interop::dlpack::kCuda,
          reinterpret_cast<uint64_t>(view.data),
          view.shape,
          view.strides};
}

// What an array is compared with.
struct Knowing {
  const DtypeTable& dtypes;     // what its dtype may name
  uint64_t beyond_cache_bytes;  // of the host
};

// What is known of any array.
ArrayKnowledge knowledge_of_strided(const StridedArray& array, const Knowing& by);

inline constexpr int64_t kLimit31 = int64_t{1} << 31;

// Bytes of an array whose elements follow each other row by row, where there are some and 31 bits
// count their bytes; else 0.
inline int64_t bytes_of_compact(const StridedArray& array, int64_t item) {
  int64_t packed = item;
  for (int i = array.ndim - 1; i >= 0; --i) {
    const int64_t extent = array.shape[i];
    const bool counts = extent > 0 && extent < kLimit31;
    if (!counts || array.strides[i] != packed) return 0;
    packed *= extent;
    if (packed >= kLimit31) return 0;
  }
  return packed;
}

// Mostly arrays are compact and small, which says nearly all; a launch asks for every array.
[[gnu::always_inline]] inline ArrayKnowledge knowledge_of(const StridedArray& array,
                                                          const Knowing& by) {
  const int64_t bytes = bytes_of_compact(array, by.dtypes.bytes_of(array.dtype));
  if (bytes == 0) [[unlikely]]
    return knowledge_of_strided(array, by);
  using F = ArrayFact;
  const bool element_aligned = (array.data & (by.dtypes.align_of(array.dtype) - 1)) == 0;
  const bool beyond_cache = !array.on_gpu && static_cast<uint64_t>(bytes) >= by.beyond_cache_bytes;
  const bool aligned = beyond_cache && !array.read_only && array.data % 64 == 0;
  const FactBits facts = bit(F::unit_inner) | bit(F::contiguous) | bit(F::fits_31) |
                         bit(F::element_aligned) * element_aligned |
                         bit(F::read_only) * array.read_only | bit(F::beyond_cache) * beyond_cache |
                         bit(F::aligned) * aligned;
  return {facts, {array.data, array.data + static_cast<uint64_t>(bytes)}};
}

}  // namespace cuda_device::bindings
