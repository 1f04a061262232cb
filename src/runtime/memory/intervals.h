// Disjoint stretches of addresses, found by any address within.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "abi/memory_kind.h"

namespace cuda_device::runtime {

class Intervals {
 public:
  // False, and nothing is changed, where it has no bytes or a part of it is there already.
  bool add(const abi::Allocation& allocation);
  // By its first address; what it was, or nothing.
  std::optional<abi::Allocation> remove(uint64_t base);
  // That which holds the address.
  std::optional<abi::Allocation> find(uint64_t address) const;
  size_t size() const { return by_base_.size(); }

 private:
  std::map<uint64_t, abi::Allocation> by_base_;
};

}  // namespace cuda_device::runtime
