// Where the cache on disk is and how large it may become, as the environment says.
#pragma once

#include <cstdint>
#include <string>

namespace cuda_device::dispatch {

struct CacheSettings {
  std::string folder;  // empty: nowhere to be
  bool named = false;  // by the user: then it is said where it cannot be had
  uint64_t limit = 0;  // bytes
  std::string off;     // why it is not used; empty where it is
};

CacheSettings cache_settings();

}  // namespace cuda_device::dispatch
