// Which bytes the elements of an array take, before anything says that there is memory.
#pragma once

#include <cstdint>
#include <optional>

#include "abi/array_view.h"

namespace cuda_device::interop {

struct Span {
  uint64_t low, high;  // [low, high); equal where there are no elements
};

// The bytes that elements of `item` bytes span. Nothing: they do not fit the address space, of
// which the last half and the first byte are nobody's.
std::optional<Span> span_of(const abi::ArrayView& view, int64_t item);

}  // namespace cuda_device::interop
