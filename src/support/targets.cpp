#include "support/targets.h"

#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace cuda_device {

int emulated_sm() {
  const char* const wanted = std::getenv("CUDA_DEVICE_EMULATE");
  if (!wanted || !*wanted) return kEmulatedSm;
  const std::string text = wanted;
  constexpr size_t kPrefix = 3;
  int version = 0;
  if (text.starts_with("sm_")) {
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + kPrefix, end, version);
    if (error == std::errc() && rest == end && target_of_sm(version)) return version;
  }
  std::string known;
  for (const int sm : kSmVersions) known += (known.empty() ? "sm_" : ", sm_") + std::to_string(sm);
  throw std::invalid_argument("CUDA_DEVICE_EMULATE is '" + text +
                              "'; it takes the architecture that kernels on the host device find "
                              "themselves on: " +
                              known);
}

}  // namespace cuda_device
