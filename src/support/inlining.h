// What @func(inline=) says.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cuda_device {

enum class Inlining : uint8_t {
  Automatic,  // called where it calls itself at run time, inlined elsewhere
  Never,      // always called
  Always      // always inlined
};
inline constexpr std::array<std::string_view, 3> kInlinings = {"automatic", "never", "always"};

constexpr std::optional<Inlining> inlining_named(std::string_view name) {
  for (size_t i = 0; i < kInlinings.size(); ++i)
    if (kInlinings[i] == name) return static_cast<Inlining>(i);
  return std::nullopt;
}

}  // namespace cuda_device
