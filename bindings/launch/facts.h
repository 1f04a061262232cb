// What is known of an array argument: see support/facts.h.
#pragma once

#include "abi/array_view.h"
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

// `dtypes`: what the view's dtype may name.
ArrayKnowledge knowledge_of(const abi::ArrayView& view, const DtypeTable& dtypes);

}  // namespace cuda_device::bindings
