// Places a host image in memory: written once, then sealed; no page is ever writable and executable
// at once.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "abi/host_thread.h"
#include "abi/kernel_image.h"
#include "runtime/host/profiler_hooks.h"

namespace cuda_device::runtime {

class LoadedCode {
 public:
  // Throws std::runtime_error: an import that is not on the list, no memory, pages cannot be made
  // executable; threads that run one by one, on a processor that we have no switch for.
  explicit LoadedCode(const abi::KernelImage& image);
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  abi::HostEntry entry() const { return reinterpret_cast<abi::HostEntry>(entry_); }
  // The entry of an image with `threads`.
  abi::HostThreadEntry thread_entry() const {
    return reinterpret_cast<abi::HostThreadEntry>(entry_);
  }
  const void* base() const { return base_; }

 private:
  void seal(size_t text_bytes);
  char* base_ = nullptr;
  size_t size_ = 0;
  char* entry_ = nullptr;
  std::optional<ProfilerHooks> profiler_hooks_;
};

}  // namespace cuda_device::runtime
