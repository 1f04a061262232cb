#include "runtime/host/blocks.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

namespace cuda_device::runtime {
namespace {

// Sleeping on a word, with a limit: std::atomic's wait has none.
long futex(const std::atomic<uint32_t>& word, int operation, uint32_t value,
           const timespec* limit) {
  static_assert(sizeof word == 4 && std::atomic<uint32_t>::is_always_lock_free);
  return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, limit, nullptr, 0);
}

// Returns when woken, when the word is not `expected`, at the limit (negative: none), or for no
// reason.
void sleep_while(const std::atomic<uint32_t>& word, uint32_t expected,
                 std::chrono::milliseconds limit) {
  const int64_t ms = limit.count();
  const timespec time{ms / 1000, ms % 1000 * 1000000};
  futex(word, FUTEX_WAIT, expected, ms < 0 ? nullptr : &time);
}

void wake_all(const std::atomic<uint32_t>& word) { futex(word, FUTEX_WAKE, INT_MAX, nullptr); }

}  // namespace

void Blocks::done(uint64_t blocks) {
  if (done_.fetch_add(blocks, std::memory_order_acq_rel) + blocks != count_) return;
  if (over_.exchange(kOver, std::memory_order_acq_rel) == kAwaited) wake_all(over_);
}

uint64_t Blocks::stop() {
  const uint64_t first = next_.exchange(count_, std::memory_order_relaxed);
  if (first >= count_) return 0;
  done(count_ - first);
  return count_ - first;
}

void Blocks::give_up() {
  given_up_ = true;
  stop();
}

bool Blocks::sleep(std::chrono::milliseconds limit) {
  uint32_t expected = kRunning;
  over_.compare_exchange_strong(expected, kAwaited, std::memory_order_acq_rel);
  if (expected != kOver) sleep_while(over_, kAwaited, limit);
  return over();
}

}  // namespace cuda_device::runtime
