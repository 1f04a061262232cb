#include "runtime/host/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace cuda_device::runtime {
namespace {

long futex(const std::atomic<uint32_t>& word, int operation, uint32_t value,
           const timespec* limit) {
  static_assert(sizeof word == 4 && std::atomic<uint32_t>::is_always_lock_free);
  return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, limit, nullptr, 0);
}

}  // namespace

void sleep_while(const std::atomic<uint32_t>& word, uint32_t expected,
                 std::chrono::milliseconds limit) {
  const int64_t ms = limit.count();
  const timespec time{ms / 1000, ms % 1000 * 1000000};
  futex(word, FUTEX_WAIT, expected, ms < 0 ? nullptr : &time);
}

void wake_all(const std::atomic<uint32_t>& word) { futex(word, FUTEX_WAKE, INT_MAX, nullptr); }

}  // namespace cuda_device::runtime
