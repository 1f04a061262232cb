#include "runtime/memory/intervals.h"

namespace cuda_device::runtime {

bool Intervals::add(const abi::Allocation& allocation) {
  if (allocation.bytes == 0) return false;
  const auto after = by_base_.lower_bound(allocation.base);
  if (after != by_base_.end() && after->first - allocation.base < allocation.bytes) return false;
  if (find(allocation.base)) return false;
  by_base_.emplace_hint(after, allocation.base, allocation);
  return true;
}

std::optional<abi::Allocation> Intervals::remove(uint64_t base) {
  const auto at = by_base_.find(base);
  if (at == by_base_.end()) return std::nullopt;
  const abi::Allocation was = at->second;
  by_base_.erase(at);
  return was;
}

std::optional<abi::Allocation> Intervals::find(uint64_t address) const {
  auto at = by_base_.upper_bound(address);
  if (at == by_base_.begin()) return std::nullopt;
  --at;
  if (address - at->first >= at->second.bytes) return std::nullopt;
  return at->second;
}

}  // namespace cuda_device::runtime
