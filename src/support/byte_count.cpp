#include "support/byte_count.h"

#include <charconv>

namespace cuda_device {

std::optional<uint64_t> byte_count(std::string_view text) {
  const char* end = text.data() + text.size();
  uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || end - rest > 1) return std::nullopt;
  const std::string_view unit(rest, static_cast<size_t>(end - rest));
  const int shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : unit.empty() ? 0 : -1;
  if (shift < 0 || number > UINT64_MAX >> shift) return std::nullopt;
  return number << shift;
}

}  // namespace cuda_device
