#include "dispatch/launch_settings.h"

#include <atomic>
#include <stdexcept>

#include "dispatch/compiled.h"
#include "runtime/host/cache.h"
#include "support/fork.h"

namespace cuda_device::dispatch {
namespace {

thread_local std::string thread_target;
std::atomic<uint64_t> set_bytes{0};

std::string read_target_list() {
  std::string text;
  try {
    for (const std::string& t : available_targets()) text += (text.empty() ? "" : ",") + t;
  } catch (const std::exception&) {
  }
  return text;
}

}  // namespace

bool set_target_of_thread(const char* target) {
  if (!target_available(target)) return false;
  thread_target = target;
  return true;
}

const std::string& target_of_thread() { return thread_target; }

const std::string& target_list() {
  static constinit MadeOnce<std::string> once;
  return once.get(read_target_list);
}

uint64_t beyond_cache_bytes() {
  static constinit MadeOnce<uint64_t> once;
  const uint64_t set = set_bytes.load(std::memory_order_relaxed);
  return set ? set : once.get([] { return runtime::beyond_cache_bytes(); });
}

void set_beyond_cache_bytes(uint64_t bytes) { set_bytes = bytes; }

}  // namespace cuda_device::dispatch
