#include "runtime/memory/pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "runtime/memory/control_group.h"

namespace cuda_device::runtime {
namespace {

// More is mapped than wanted, and what is not aligned given back.
void* map_aligned(uint64_t bytes) {
  const uint64_t mapped = bytes + kOwnPages;
  void* const memory =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  const auto begin = reinterpret_cast<uint64_t>(memory);
  const uint64_t start = (begin + kOwnPages - 1) / kOwnPages * kOwnPages;
  if (start > begin) munmap(memory, start - begin);
  const uint64_t end = start + bytes;
  if (begin + mapped > end) munmap(reinterpret_cast<void*>(end), begin + mapped - end);
  void* const aligned = reinterpret_cast<void*>(start);
  madvise(aligned, bytes, MADV_HUGEPAGE);  // a wish: small pages do as well
  return aligned;
}

}  // namespace

void* take_pages(uint64_t bytes) {
  return bytes >= kOwnPages ? map_aligned(bytes) : std::aligned_alloc(kMemoryAlign, bytes);
}

void give_pages(void* memory, uint64_t bytes) {
  if (bytes >= kOwnPages)
    munmap(memory, bytes);
  else
    std::free(memory);
}

namespace {

uint64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (uint64_t kib = 0; file >> name >> kib; std::getline(file, unit))
    if (name == "MemAvailable:") return kib * 1024;
  return static_cast<uint64_t>(sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE));
}

}  // namespace

uint64_t free_bytes() { return std::min(available_bytes(), group_memory().free); }

uint64_t total_bytes() {
  const auto all = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
  return std::min(all, group_memory().limit);
}

}  // namespace cuda_device::runtime
