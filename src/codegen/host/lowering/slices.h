// Neighbouring lanes of a vector, taken out or put in.
#pragma once

#include "codegen/emit_types.h"
#include "codegen/host/machine/target.h"

namespace cuda_device::codegen::host {

inline llvm::Value* slice_of(llvm::IRBuilder<>& b, llvm::Value* vector, unsigned first,
                             unsigned count) {
  llvm::SmallVector<int, kMostLanes> lanes;
  for (unsigned i = 0; i < count; ++i) lanes.push_back(static_cast<int>(first + i));
  return b.CreateShuffleVector(vector, lanes);
}

// The vector with its lanes from `first` on replaced.
inline llvm::Value* with_slice(llvm::IRBuilder<>& b, llvm::Value* whole, llvm::Value* part,
                               unsigned first) {
  const unsigned width = lanes_of(whole->getType()), count = lanes_of(part->getType());
  // A shuffle wants operands of one width: the part is widened first, its lanes at the front.
  llvm::SmallVector<int, kMostLanes> front, merge;
  for (unsigned i = 0; i < width; ++i) {
    front.push_back(i < count ? static_cast<int>(i) : -1);
    const bool mine = i >= first && i < first + count;
    merge.push_back(static_cast<int>(mine ? width + i - first : i));
  }
  return b.CreateShuffleVector(whole, b.CreateShuffleVector(part, front), merge);
}

}  // namespace cuda_device::codegen::host
