#include "runtime/host/fibres/standing.h"

#include <algorithm>

namespace cuda_device::runtime::fibres {

Standing::Worker::Worker(Standing& all) : all_(all) {
  std::lock_guard lock(all_.mutex_);
  all_.workers_.push_back(this);
  all_.count_ = all_.workers_.size();
}

Standing::Worker::~Worker() {
  std::lock_guard lock(all_.mutex_);
  std::erase(all_.workers_, this);
  all_.count_ = all_.workers_.size();
}

void Standing::Worker::stood_still(int64_t begin, int64_t end) {
  to_.store(begin, std::memory_order_release);
  if (from_.load(std::memory_order_relaxed) == kNever) from_.store(end, std::memory_order_release);
}

int64_t Standing::how_long(int64_t since) const {
  std::lock_guard lock(mutex_);
  int64_t from = since, to = std::numeric_limits<int64_t>::max();
  for (const Worker* worker : workers_) {
    const int64_t first = worker->from_.load(std::memory_order_acquire);
    to = std::min(to, worker->to_.load(std::memory_order_acquire));
    // Another beginning: it has advanced between the two.
    if (first == Worker::kNever || worker->from_.load(std::memory_order_acquire) != first) return 0;
    from = std::max(from, first);
  }
  return workers_.empty() ? 0 : std::max<int64_t>(0, to - from);
}

}  // namespace cuda_device::runtime::fibres
