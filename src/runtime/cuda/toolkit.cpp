#include "runtime/cuda/toolkit.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <sstream>

#include "support/fork.h"

namespace cuda_device::cuda {
namespace {

namespace fs = std::filesystem;

ForkMutex toolkit_mutex;
std::vector<std::string> extra_folders;

// Roots of a toolkit: they hold bin/ and nvvm/.
std::vector<fs::path> toolkit_roots() {
  std::vector<fs::path> roots;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* value = std::getenv(name)) roots.emplace_back(value);
  if (const char* path = std::getenv("PATH")) {
    std::stringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      std::error_code error;
      const fs::path nvcc = fs::path(folder) / "nvcc";
      if (fs::exists(nvcc, error))
        roots.push_back(fs::canonical(nvcc, error).parent_path().parent_path());
    }
  }
  roots.emplace_back("/usr/local/cuda");
  std::lock_guard lock(toolkit_mutex);
  for (const std::string& folder : extra_folders)
    for (const char* wheel : {"nvidia/cu13", "nvidia/cuda_nvcc", "nvidia/cu12", "nvidia/nvjitlink"})
      roots.push_back(fs::path(folder) / wheel);
  return roots;
}

std::string first_existing(const std::string& relative) {
  for (const fs::path& root : toolkit_roots()) {
    std::error_code error;
    if (fs::exists(root / relative, error)) return (root / relative).string();
  }
  return "";
}

}  // namespace

void add_search_path(const std::string& folder) {
  std::lock_guard lock(toolkit_mutex);
  extra_folders.push_back(folder);
}

std::string find_libdevice() { return first_existing("nvvm/libdevice/libdevice.10.bc"); }
std::string find_ptxas() { return first_existing("bin/ptxas"); }

std::string find_in_toolkit(const std::string& library) {
  const std::string found = first_existing("lib64/" + library);
  return found.empty() ? first_existing("lib/" + library) : found;
}

}  // namespace cuda_device::cuda
