// What is known of an array argument: see support/facts.h.
#pragma once

#include <cstddef>

#include "abi/array_view.h"
#include "support/facts.h"

namespace cuda_device::bindings {

// Bytes [low, high) that the elements of an array lie in; empty for an array without elements.
struct ByteRange {
  uintptr_t low = 0, high = 0;
};

// ArrayFacts as a byte: a fact's bit is its place in the struct. In the path of a launch they never
// are eight bytes in memory, which would be written one by one and read at once.
using FactBits = uint8_t;
#define CD_FACT_BIT(name) (1u << offsetof(ArrayFacts, name))
static_assert(sizeof(ArrayFacts) == 8);

struct ArrayKnowledge {
  FactBits facts = 0;  // no_alias is left to the caller, who compares the ranges of all arrays
  ByteRange range;
};

ArrayKnowledge knowledge_of(const abi::ArrayView& view);

}  // namespace cuda_device::bindings
