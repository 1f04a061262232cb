#include "runtime/host/threads.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace cuda_device::runtime {
namespace {

constexpr int kNoLimit = 1 << 20;

int affinity_count() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set))
    return static_cast<int>(std::thread::hardware_concurrency());
  return CPU_COUNT(&set);
}

int whole_cpus(double quota, double period) {
  if (!(quota > 0 && period > 0)) return kNoLimit;
  return std::max(1, static_cast<int>(std::min(std::ceil(quota / period), double{kNoLimit})));
}

// Version 2: "max 100000", or a quota in place of "max".
int quota_of_unified(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max") return kNoLimit;
  return whole_cpus(std::atof(quota.c_str()), period);
}

// Version 1: -1 where there is no limit.
int quota_of_controller(const std::string& folder) {
  double quota = 0, period = 0;
  std::ifstream(folder + "/cpu.cfs_quota_us") >> quota;
  std::ifstream(folder + "/cpu.cfs_period_us") >> period;
  return whole_cpus(quota, period);
}

// The least quota of a group, a path that begins with a slash, and of all groups around it.
int least(int (*quota_of)(const std::string&), const std::string& mount, std::string group) {
  int found = kNoLimit;
  for (;;) {
    found = std::min(found, quota_of(mount + group));
    if (group.empty()) return found;
    group.erase(group.find_last_of('/'));
  }
}

bool names_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const size_t end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == "cpu") return true;
    controllers.remove_prefix(std::min(end + 1, controllers.size()));
  }
  return false;
}

}  // namespace

int asked_threads(std::string_view text) {
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && n > 0 && n <= kMostThreads ? n : 0;
}

int cgroup_cpus(const std::string& root) {
  const std::string mount = root + "/sys/fs/cgroup";
  std::ifstream membership(root + "/proc/self/cgroup");
  int found = kNoLimit;
  for (std::string line; std::getline(membership, line);) {  // number:controllers:group
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (!group.starts_with('/')) continue;
    const std::string inside = group == "/" ? "" : group;
    if (controllers.empty()) found = std::min(found, least(quota_of_unified, mount, inside));
    if (!names_cpu(controllers)) continue;
    for (const std::string& name : {controllers, std::string("cpu")})
      found = std::min(found, least(quota_of_controller, mount + "/" + name, inside));
  }
  return found;
}

int thread_count() {
  if (const char* text = std::getenv("CUDA_DEVICE_NUM_THREADS"))
    if (const int n = asked_threads(text)) return n;
  return std::max(1, std::min(affinity_count(), cgroup_cpus("")));
}

}  // namespace cuda_device::runtime
