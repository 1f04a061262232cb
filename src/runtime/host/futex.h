// Sleeping on a word, with a limit: std::atomic's wait has none.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace cuda_device::runtime {

// Returns when woken, when the word is not `expected`, at the limit (negative: none), or for no
// reason.
void sleep_while(const std::atomic<uint32_t>& word, uint32_t expected,
                 std::chrono::milliseconds limit);
void wake_all(const std::atomic<uint32_t>& word);

}  // namespace cuda_device::runtime
