#include "runtime/owners.h"

#include <atomic>

namespace cuda_device::runtime {
namespace {

// The last one first. Without a lock, so a fork finds it whole.
alignas(64) std::atomic<abi::Owner*> finished{nullptr};

}  // namespace

void owner_finished(abi::Owner* owner) {
  if (!owner) return;
  owner->next = finished.load(std::memory_order_relaxed);
  while (!finished.compare_exchange_weak(owner->next, owner, std::memory_order_release,
                                         std::memory_order_relaxed)) {
  }
}

// Looks before it takes: mostly there is nothing.
abi::Owner* take_finished_owners() {
  if (!finished.load(std::memory_order_relaxed)) return nullptr;
  return finished.exchange(nullptr, std::memory_order_acquire);
}

}  // namespace cuda_device::runtime
