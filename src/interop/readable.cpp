#include "interop/readable.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace cuda_device::interop {
namespace {

constexpr uint64_t kFewPages = 8;

bool is_mapped(uint64_t start, uint64_t end) {
  return msync(reinterpret_cast<void*>(start), end - start, MS_ASYNC) == 0;  // changes nothing
}

// The kernel copies the new set of signals before it sees that there is no such operation; null is
// no set.
bool page_is_readable(uint64_t page) {
  constexpr long kNoOperation = -1, kSetBytes = 8;
  const uint64_t set = page + kSetBytes;
  const long result = syscall(SYS_rt_sigprocmask, kNoOperation, set, nullptr, kSetBytes);
  return result == 0 || errno != EFAULT;
}

uint64_t page_bytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace

bool is_readable(uint64_t low, uint64_t high) {
  if (low >= high) return true;
  const uint64_t page = page_bytes();
  const uint64_t first = low / page * page, last = (high - 1) / page * page;
  const bool few = last - first < kFewPages * page;  // what is readable is mapped
  if (!few && !is_mapped(first, high)) return false;
  for (uint64_t at = first; at <= last; at += few ? page : last - first)
    if (!page_is_readable(at)) return false;
  return true;
}

bool ReadableMemory::contains(uint64_t low, uint64_t high) {
  for (size_t i = 0; i < count_; ++i)
    if (found_[i].low <= low && high <= found_[i].high) return true;
  if (!is_readable(low, high)) return false;
  if (low < high && count_ < kKept) {
    const uint64_t page = page_bytes();
    found_[count_++] = {low / page * page, ((high - 1) / page + 1) * page};
  }
  return true;
}

}  // namespace cuda_device::interop
