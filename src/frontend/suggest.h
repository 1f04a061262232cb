// Names for people: the nearest of some candidates, and what other dialects call our things.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cuda_device::frontend {

// The candidate at the smallest edit distance, if it is near enough to be meant; else "".
std::string closest(const std::string& name, const std::vector<std::string>& candidates);

// "threadIdx" → "device.thread_idx"; nullptr for names without a counterpart.
const char* habit_of(std::string_view name);

}  // namespace cuda_device::frontend
