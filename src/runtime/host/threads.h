// How many threads this process may keep busy.
#pragma once

#include <string>
#include <string_view>

namespace cuda_device::runtime {

inline constexpr int kMostThreads = 4096;

// CUDA_DEVICE_NUM_THREADS as it is written: 1 to kMostThreads; 0 for anything else.
int asked_threads(std::string_view text);

// The least quota of this process's control group and those around it, of version 2 or 1, in whole
// CPUs, rounded up; no limit: a large number. `root` stands before /proc and /sys.
int cgroup_cpus(const std::string& root);

// What is requested, else CPUs of the affinity mask within the quota; at least 1.
int thread_count();

}  // namespace cuda_device::runtime
