// What tests set of launches: where those of a thread run, and from which size on arrays are large.
#pragma once

#include <cstdint>
#include <string>

namespace cuda_device::dispatch {

// As cd_rt_set_target takes it. False where this machine has no such target.
bool set_target_of_thread(const char* target);
const std::string& target_of_thread();
const std::string& target_list();  // comma-separated

// Bytes from which on an array is beyond the cache: what was set, else what the machine's caches
// say.
uint64_t beyond_cache_bytes();
void set_beyond_cache_bytes(uint64_t bytes);  // 0: as the machine says

}  // namespace cuda_device::dispatch
