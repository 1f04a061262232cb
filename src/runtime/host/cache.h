// How much of what a kernel writes the next one may find in the cache.
#pragma once

#include <cstdint>
#include <string>

namespace cuda_device::runtime {

// Bytes of the last-level cache; 0 where the system does not tell. `folder`: where Linux describes
// the caches of a CPU.
uint64_t last_level_cache();
uint64_t last_level_cache_in(const std::string& folder);

// Bytes of one core's data cache of level 1 or 2; 0 where the system does not tell.
uint64_t cache_of_core(int level);

// Bytes from which on an array that is written through is not found in the cache afterwards.
uint64_t beyond_cache_bytes(uint64_t cache, uint64_t cpus);
uint64_t beyond_cache_bytes();  // of this machine

}  // namespace cuda_device::runtime
