#include "runtime/owners.h"

#include <atomic>
#include <mutex>
#include <vector>

#include "support/fork.h"

namespace cuda_device::runtime {
namespace {

ForkMutex mutex;
std::vector<void*> finished;
std::atomic<bool> any{false};

}  // namespace

void owner_finished(void* owner) {
  if (!owner) return;
  std::lock_guard lock(mutex);
  finished.push_back(owner);
  any.store(true, std::memory_order_release);
}

// The flag keeps the common case, nothing to take, free of the lock.
void* take_finished_owner() {
  if (!any.load(std::memory_order_acquire)) return nullptr;
  std::lock_guard lock(mutex);
  if (finished.empty()) return nullptr;
  void* owner = finished.back();
  finished.pop_back();
  if (finished.empty()) any.store(false, std::memory_order_relaxed);
  return owner;
}

}  // namespace cuda_device::runtime
