// SHA-256 (FIPS 180-4): names of files that hold anything, and proof that they hold it still.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace cuda_device {

using Digest = std::array<uint8_t, 32>;

Digest sha256(std::string_view bytes);
std::string hex(const Digest& digest);  // 64 letters

}  // namespace cuda_device
