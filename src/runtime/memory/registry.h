// Every allocation that the runtime has handed out, by any address within it. Thread-safe, and
// whole after a fork.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "abi/memory_kind.h"

namespace cuda_device::runtime {

// Disjoint ranges of addresses, each found by any address within.
class Intervals {
 public:
  // Returns false, and changes nothing, where it has no bytes or a part of it is there already.
  bool add(const abi::Allocation& allocation);
  // Removes the one that begins at `base`, and returns it; nothing where none does.
  std::optional<abi::Allocation> remove(uint64_t base);
  // The one that contains the address.
  std::optional<abi::Allocation> find(uint64_t address) const;
  size_t size() const { return by_base_.size(); }

 private:
  std::map<uint64_t, abi::Allocation> by_base_;
};

namespace registry {

void add(const abi::Allocation& allocation);  // CompilerBug where it lies in another one
std::optional<abi::Allocation> remove(uint64_t base);
std::optional<abi::Allocation> find(uint64_t address);

struct Total {
  uint64_t allocations = 0, bytes = 0;
};
Total total_of(int device);

}  // namespace registry
}  // namespace cuda_device::runtime
