// Every allocation that we have handed out: who asks about an address learns whose it is. Many
// threads at once; a fork finds it whole.
#pragma once

#include "runtime/memory/intervals.h"

namespace cuda_device::runtime::registry {

void add(const abi::Allocation& allocation);  // CompilerBug where it lies in another one
std::optional<abi::Allocation> remove(uint64_t base);
std::optional<abi::Allocation> find(uint64_t address);

struct Total {
  uint64_t allocations = 0, bytes = 0;
};
Total total_of(int device);

}  // namespace cuda_device::runtime::registry
