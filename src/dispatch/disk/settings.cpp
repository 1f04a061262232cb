#include "dispatch/disk/settings.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "support/byte_count.h"

namespace cuda_device::dispatch {
namespace {

constexpr uint64_t kUsualLimit = uint64_t{512} << 20;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// A home that is another user's (sudo keeps the variable) would get files that its owner cannot
// remove.
std::string home() {
  const std::string home = variable("HOME");
  struct stat s;
  const bool own = home.starts_with('/') && stat(home.c_str(), &s) == 0 && s.st_uid == geteuid();
  return own ? home : "";
}

// The folder that the user chose, with ~ for HOME as a shell would have read it; empty where it
// names no folder, or a home that is not known.
std::string chosen_folder() {
  std::string chosen = variable("CUDA_DEVICE_CACHE_DIR");
  const std::string home = variable("HOME");
  const bool below_home = chosen == "~" || chosen.starts_with("~/");
  if (below_home && home.starts_with('/')) chosen.replace(0, 1, home);
  if (chosen.empty() || chosen.starts_with('~')) return "";
  std::error_code error;
  return std::filesystem::absolute(chosen, error).string();
}

std::string usual_folder() {
  if (const std::string caches = variable("XDG_CACHE_HOME"); caches.starts_with('/'))
    return caches + "/cuda-device";
  const std::string own = home();
  return own.empty() ? "" : own + "/.cache/cuda-device";
}

// Anything that is no number of bytes is the usual limit.
uint64_t limit() { return byte_count(variable("CUDA_DEVICE_CACHE_SIZE")).value_or(kUsualLimit); }

std::string why_off(const CacheSettings& settings) {
  if (variable("CUDA_DEVICE_CACHE") == "off") return "CUDA_DEVICE_CACHE=off";
  // The compiler's own checks must run where they are requested.
  if (!variable("CUDA_DEVICE_VERIFY").empty()) return "CUDA_DEVICE_VERIFY is set";
  if (settings.folder.empty()) return "no home folder";
  return "";
}

}  // namespace

CacheSettings cache_settings() {
  CacheSettings settings{chosen_folder(), true, limit(), ""};
  if (settings.folder.empty()) {
    settings.named = false;
    settings.folder = usual_folder();
  }
  settings.off = why_off(settings);
  return settings;
}

}  // namespace cuda_device::dispatch
