#include "interop/memory_access.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "interop/mappings.h"

namespace cuda_device::interop {
namespace {

constexpr uint64_t kFewPages = 8;

bool is_mapped(uint64_t start, uint64_t end) {
  return msync(reinterpret_cast<void*>(start), end - start, MS_ASYNC) == 0;  // changes nothing
}

// The kernel copies the new set of signals before it sees that there is no such operation; null is
// no set.
bool may_read(uint64_t page) {
  constexpr long kNoOperation = -1, kSetBytes = 8;
  const uint64_t set = page + kSetBytes;
  const long result = syscall(SYS_rt_sigprocmask, kNoOperation, set, nullptr, kSetBytes);
  return result == 0 || errno != EFAULT;
}

// An atomic operation of the kernel's on a word of the page: or with 0, so that it stays what it
// is. It wakes who waits for a word of ours, which is nobody, and for the other one if that is less
// than the least number of futexes' comparisons: perhaps a waiter, who looks again.
bool may_write(uint64_t page) {
  constexpr uint32_t kUnchanged = FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_LT, 0x800);
  uint32_t own = 0;
  const long result = syscall(SYS_futex, &own, FUTEX_WAKE_OP_PRIVATE, 0, nullptr, page, kUnchanged);
  return result >= 0 || errno != EFAULT;
}

Access of_page(uint64_t page, Access wanted) {
  if (wanted == Access::Write && may_write(page)) return Access::Write;
  return may_read(page) ? Access::Read : Access::None;
}

uint64_t page_bytes() {
  static const auto bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

Access of_mapping(const Mapping& mapping) {
  if (!mapping.readable) return Access::None;
  return mapping.writable ? Access::Write : Access::Read;
}

// Nothing where mappings cannot be asked for. `last`: the one that `high` lies in.
std::optional<Access> access_by_mappings(uint64_t low, uint64_t high, Access wanted,
                                         Mapping& last) {
  Access found = wanted;
  for (uint64_t at = low; at < high && found != Access::None; at = last.high) {
    const std::optional<Mapping> mapping = mapping_at(at);
    if (!mapping) return std::nullopt;
    last = *mapping;
    found = std::min(found, of_mapping(last));
  }
  // Files may be shorter than their mappings.
  const uint64_t page = (high - 1) / page_bytes() * page_bytes();
  return found != Access::None && last.of_file && !may_read(page) ? Access::None : found;
}

}  // namespace

Access access_by_pages(uint64_t low, uint64_t high, Access wanted) {
  if (low >= high) return wanted;
  const uint64_t page = page_bytes();
  const uint64_t first = low / page * page, last = (high - 1) / page * page;
  const bool few = last - first < kFewPages * page;  // what may be read is mapped
  if (!few && !is_mapped(first, high)) return Access::None;
  Access found = of_page(first, wanted);
  if (last != first && found != Access::None) found = of_page(last, found);
  for (uint64_t at = first + page; few && at < last && found != Access::None; at += page)
    if (!may_read(at)) found = Access::None;
  return found;
}

bool KnownAccess::check(uint64_t low, uint64_t high, bool& read_only) {
  const Access found = to(low, high, read_only ? Access::Read : Access::Write);
  read_only = read_only || found == Access::Read;
  return found != Access::None;
}

void KnownAccess::keep(const Range& found) {
  if (found.access != Access::None && count_ < kKept) found_[count_++] = found;
}

Access KnownAccess::to(uint64_t low, uint64_t high, Access wanted) {
  if (low >= high) return wanted;
  for (size_t i = 0; i < count_; ++i)
    if (found_[i].low <= low && high <= found_[i].high && found_[i].access >= wanted) return wanted;
  Mapping last;
  if (const auto found = access_by_mappings(low, high, wanted, last)) {
    // The end of a file is asked for each time.
    if (!last.of_file) keep({last.low, last.high, of_mapping(last)});
    return *found;
  }
  const Access found = access_by_pages(low, high, wanted);
  const uint64_t page = page_bytes();
  keep({low / page * page, ((high - 1) / page + 1) * page, found});
  return found;
}

}  // namespace cuda_device::interop
