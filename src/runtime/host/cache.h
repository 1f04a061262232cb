// How much of what a kernel writes the next one may find in the cache.
#pragma once

#include <cstdint>
#include <string>

namespace cuda_device::runtime {

// Of the last level, in bytes; 0 where nobody says. `folder`: where Linux describes the caches of a
// CPU.
uint64_t last_level_cache();
uint64_t last_level_cache_in(const std::string& folder);

// Data cache of one core, of level 1 or 2, in bytes; 0 where nobody says.
uint64_t cache_of_core(int level);

// Bytes from which on an array that is written through is not found in the cache afterwards.
uint64_t beyond_cache_bytes(uint64_t cache, uint64_t cpus);
uint64_t beyond_cache_bytes();  // of this machine

}  // namespace cuda_device::runtime
