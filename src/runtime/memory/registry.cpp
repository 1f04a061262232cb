#include "runtime/memory/registry.h"

#include "support/check.h"
#include "support/fork.h"

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

namespace registry {
namespace {

// Both outlive every thread: memory is freed when the process ends, too.
ForkMutex registry_mutex;
Intervals* const known = new Intervals;
std::map<int, Total>* const totals = new std::map<int, Total>;

bool insert(abi::Allocation allocation) {
  static constinit uint64_t last = 0;
  std::lock_guard lock(registry_mutex);
  allocation.serial = ++last;
  Total& total = (*totals)[allocation.device];
  if (!known->add(allocation)) return false;
  ++total.allocations;
  total.bytes += allocation.bytes;
  return true;
}

}  // namespace

void add(const abi::Allocation& allocation) {
  CD_CHECK(insert(allocation), "an allocation lies within another one");
}

std::optional<abi::Allocation> remove(uint64_t base) {
  std::lock_guard lock(registry_mutex);
  const std::optional<abi::Allocation> was = known->remove(base);
  if (!was) return was;
  Total& total = (*totals)[was->device];
  --total.allocations;
  total.bytes -= was->bytes;
  return was;
}

std::optional<abi::Allocation> find(uint64_t address) {
  std::lock_guard lock(registry_mutex);
  return known->find(address);
}

Total total_of(int device) {
  std::lock_guard lock(registry_mutex);
  const auto at = totals->find(device);
  return at == totals->end() ? Total{} : at->second;
}

}  // namespace registry
}  // namespace cuda_device::runtime
