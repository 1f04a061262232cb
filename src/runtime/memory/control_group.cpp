#include "runtime/memory/control_group.h"

#include <algorithm>
#include <fstream>
#include <optional>

namespace cuda_device::runtime {
namespace {

// Names of the files of a version, in the directory of a group.
struct Files {
  const char *limit, *used, *statistics, *cached;
};
constexpr Files kFirst = {"/memory.limit_in_bytes", "/memory.usage_in_bytes", "/memory.stat",
                          "total_inactive_file"};
constexpr Files kSecond = {"/memory.max", "/memory.current", "/memory.stat", "inactive_file"};

// No number where the file is missing or says "max".
std::optional<uint64_t> number_in(const std::string& path) {
  uint64_t number = 0;
  if (std::ifstream(path) >> number) return number;
  return std::nullopt;
}

uint64_t statistic(const std::string& path, const std::string& wanted) {
  std::ifstream file(path);
  std::string name;
  for (uint64_t value = 0; file >> name >> value;)
    if (name == wanted) return value;
  return 0;
}

void apply_limit(const std::string& directory, const Files& files, GroupMemory& memory) {
  const std::optional<uint64_t> limit = number_in(directory + files.limit);
  if (!limit) return;
  const uint64_t used = number_in(directory + files.used).value_or(0);
  const uint64_t cached = statistic(directory + files.statistics, files.cached);
  const uint64_t kept = used - std::min(used, cached);
  memory.limit = std::min(memory.limit, *limit);
  memory.free = std::min(memory.free, *limit - std::min(*limit, kept));
}

// A group is limited by those around it. In a container the path may be the host's, of which the
// root alone is there.
void apply_limits(const std::string& root, std::string path, const Files& files,
                  GroupMemory& memory) {
  while (path.ends_with('/')) path.pop_back();
  for (;;) {
    apply_limit(root + path, files, memory);
    if (path.empty()) return;
    path.erase(path.find_last_of('/'));
  }
}

bool lists_memory(const std::string& controllers) {
  return ("," + controllers + ",").find(",memory,") != std::string::npos;
}

}  // namespace

// Lines are number:controllers:path; the second version has number 0 and no controllers.
GroupMemory group_memory(const std::string& groups, const std::string& root) {
  GroupMemory memory;
  std::ifstream file(groups);
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos || !line.substr(second + 1).starts_with('/')) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty())
      apply_limits(root, path, kSecond, memory);
    else if (lists_memory(controllers))
      apply_limits(root + "/memory", path, kFirst, memory);
  }
  return memory;
}

}  // namespace cuda_device::runtime
