// Sets of targets, which target() asks about (DEV-TGT): the host, and the architectures of GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

namespace cuda_device {

// Architectures that have a selector, whether code can be made for them or not.
inline constexpr int kSmVersions[] = {50, 52, 53, 60, 61,  62,  70,  72,  75,  80, 86,
                                      87, 88, 89, 90, 100, 101, 103, 110, 120, 121};

// Bit 0 is the host, bit i + 1 is kSmVersions[i].
using TargetSet = uint32_t;

inline constexpr TargetSet kHostTarget = 1;
inline constexpr TargetSet kAllTargets = (TargetSet{2} << std::size(kSmVersions)) - 1;

// Nothing: there is no such architecture.
constexpr std::optional<TargetSet> target_of_sm(int version) {
  for (size_t i = 0; i < std::size(kSmVersions); ++i)
    if (kSmVersions[i] == version) return TargetSet{2} << i;
  return std::nullopt;
}

// It and all that are newer.
constexpr TargetSet targets_from(TargetSet architecture) {
  return kAllTargets & ~(architecture - 1);
}

// The architecture that a kernel on the host device finds itself on, where nothing else is asked
// for.
inline constexpr int kEmulatedSm = 90;

// The one that CUDA_DEVICE_EMULATE names ("sm_75"); throws std::invalid_argument where it names
// none of kSmVersions.
int emulated_sm();

}  // namespace cuda_device
