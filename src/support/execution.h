// How the host runs the threads of a block.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cuda_device {

enum class Execution : uint8_t {
  Automatic,  // as the kernel needs it
  Gangs,      // threads are lanes of vectors, gang after gang from barrier to barrier
  Threads     // each thread on a stack of its own, in turns
};
inline constexpr std::array<std::string_view, 3> kExecutions = {"automatic", "gangs", "threads"};

constexpr std::optional<Execution> execution_named(std::string_view name) {
  for (size_t i = 0; i < kExecutions.size(); ++i)
    if (kExecutions[i] == name) return static_cast<Execution>(i);
  return std::nullopt;
}

}  // namespace cuda_device
