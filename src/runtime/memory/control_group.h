// What control groups allow this process: a container's limit of memory.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace cuda_device::runtime {

// In bytes, of the group of the process and those around it; the largest number where none limits.
struct GroupMemory {
  uint64_t limit = std::numeric_limits<uint64_t>::max();
  // What may still be taken. Cached files count as free, as the system gives them up first.
  uint64_t free = std::numeric_limits<uint64_t>::max();
};

// Reads both versions of control groups. `groups`: a file as /proc/self/cgroup; `root`: where their
// directories are.
GroupMemory group_memory(const std::string& groups = "/proc/self/cgroup",
                         const std::string& root = "/sys/fs/cgroup");

}  // namespace cuda_device::runtime
