#include "runtime/host/cache.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace cuda_device::runtime {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kUsualCache = 32 * kMiB;  // where the system does not tell
// A virtual machine of few CPUs is shown the cache of the whole socket, which its neighbours use;
// another is shown no more than a CPU's own second level.
constexpr uint64_t kOneCpu = 8 * kMiB;

uint64_t reported(int name) {
  const long bytes = sysconf(name);
  return bytes > 0 ? static_cast<uint64_t>(bytes) : 0;
}

std::string word_in(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  file >> word;
  return word;
}

// "266240K", "32M", "4096".
uint64_t bytes_of(const std::string& text) {
  uint64_t bytes = 0;
  size_t i = 0;
  for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i)
    bytes = bytes * 10 + static_cast<uint64_t>(text[i] - '0');
  const char unit = i < text.size() ? text[i] : ' ';
  return bytes << (unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0);
}

}  // namespace

uint64_t last_level_cache_in(const std::string& folder) {
  uint64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    const std::string cache = folder + "/index" + std::to_string(index);
    if (word_in(cache + "/type") == "Unified")
      largest = std::max(largest, bytes_of(word_in(cache + "/size")));
  }
  return largest;
}

uint64_t last_level_cache() {
#ifdef _SC_LEVEL4_CACHE_SIZE
  for (int name : {_SC_LEVEL4_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE})
    if (const uint64_t bytes = reported(name)) return bytes;
#endif
  return last_level_cache_in("/sys/devices/system/cpu/cpu0/cache");
}

uint64_t cache_of_core(int level) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  return reported(level == 1 ? _SC_LEVEL1_DCACHE_SIZE : _SC_LEVEL2_CACHE_SIZE);
#else
  return 0;
#endif
}

// As large as the cache: a reader that begins at the front finds nothing there, since what was
// written and read last has driven it out.
uint64_t beyond_cache_bytes(uint64_t cache, uint64_t cpus) {
  const uint64_t most = std::max<uint64_t>(cpus, 1) * kOneCpu;
  return std::clamp(cache ? cache : kUsualCache, kOneCpu, most);
}

uint64_t beyond_cache_bytes() {
  return beyond_cache_bytes(last_level_cache(), reported(_SC_NPROCESSORS_ONLN));
}

}  // namespace cuda_device::runtime
