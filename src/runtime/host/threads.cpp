// How many threads this process may keep busy.
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

#include "runtime/host/pool.h"

namespace cuda_device::runtime {
namespace {

int affinity_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set))
    return static_cast<int>(std::thread::hardware_concurrency());
  return CPU_COUNT(&set);
}

// Quota of the control group (version 2) in whole CPUs, rounded up; no limit: a large number.
int cgroup_count() {
  std::ifstream membership("/proc/self/cgroup");
  std::string line;
  while (std::getline(membership, line)) {
    if (!line.starts_with("0::")) continue;
    std::ifstream file("/sys/fs/cgroup" + line.substr(3) + "/cpu.max");
    std::string quota;
    double period = 0;
    if (file >> quota >> period && quota != "max" && period > 0)
      return std::max(1, static_cast<int>(std::ceil(std::atof(quota.c_str()) / period)));
  }
  return 1 << 20;
}

}  // namespace

int thread_count() {
  if (const char* text = std::getenv("CUDA_DEVICE_NUM_THREADS")) {
    const int n = std::atoi(text);
    if (n > 0) return std::min(n, 4096);
  }
  return std::max(1, std::min(affinity_count(), cgroup_count()));
}

}  // namespace cuda_device::runtime
