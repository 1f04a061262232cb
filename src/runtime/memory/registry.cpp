#include "runtime/memory/registry.h"

#include "support/check.h"
#include "support/fork.h"

namespace cuda_device::runtime::registry {
namespace {

// Outlive every thread: memory is freed when the process ends, too.
ForkMutex mutex;
Intervals* const known = new Intervals;
std::map<int, Total>* const totals = new std::map<int, Total>;

bool insert(const abi::Allocation& allocation) {
  std::lock_guard lock(mutex);
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
  std::lock_guard lock(mutex);
  const std::optional<abi::Allocation> was = known->remove(base);
  if (!was) return was;
  Total& total = (*totals)[was->device];
  --total.allocations;
  total.bytes -= was->bytes;
  return was;
}

std::optional<abi::Allocation> find(uint64_t address) {
  std::lock_guard lock(mutex);
  return known->find(address);
}

Total total_of(int device) {
  std::lock_guard lock(mutex);
  const auto at = totals->find(device);
  return at == totals->end() ? Total{} : at->second;
}

}  // namespace cuda_device::runtime::registry
