#include "runtime/host/profiler_hooks.h"

#include <cstdlib>
#include <string_view>

#include "support/log.h"

namespace cuda_device::runtime {
namespace {

// Whether a variable has the one value that means something; another is named in a warning.
bool says(const char* variable, std::string_view value) {
  const char* const text = std::getenv(variable);
  const std::string_view found = text ? text : "";
  if (found.empty() || found == "0") return false;
  if (found != value)
    log::warn(std::string(variable) + "=" + std::string(found) + " is not known; it can be " +
              std::string(value));
  return found == value;
}

}  // namespace

bool perf_wanted() {
  static constinit MadeOnce<bool> once;
  return once.get([] { return says("CUDA_DEVICE_PERF", "map"); });
}

bool gdb_wanted() {
  static constinit MadeOnce<bool> once;
  return once.get([] { return says("CUDA_DEVICE_GDB", "1"); });
}

ProfilerHooks::ProfilerHooks(const abi::KernelImage& image, const char* base) {
  if (perf_wanted()) perf = std::make_unique<PerfEntry>(image, base);
  if (gdb_wanted() && !image.debug_object.empty()) gdb = std::make_unique<GdbEntry>(image, base);
}

}  // namespace cuda_device::runtime
