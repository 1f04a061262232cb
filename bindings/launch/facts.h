// What is known of an array argument: see support/facts.h.
#pragma once

#include "abi/array_view.h"
#include "support/facts.h"

namespace cuda_device::bindings {

// Bytes [low, high) that the elements of an array lie in; empty for an array without elements.
struct ByteRange {
  uintptr_t low = 0, high = 0;
};

struct ArrayKnowledge {
  ArrayFacts facts;  // no_alias is true: the caller compares the ranges of all arrays
  ByteRange range;
};

ArrayKnowledge knowledge_of(const abi::ArrayView& view);

}  // namespace cuda_device::bindings
