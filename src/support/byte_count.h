// Numbers of bytes as people write them in the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace cuda_device {

// "1000000", "512M", "2G" (K, M and G are powers of 1024); nothing for any other text.
std::optional<uint64_t> byte_count(std::string_view text);

}  // namespace cuda_device
