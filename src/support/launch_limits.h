// What a launch may ask for on every target, so that a kernel that runs here runs on a GPU as well.
#pragma once

#include <array>
#include <cstdint>

namespace cuda_device {

inline constexpr uint32_t kMostThreadsOfBlock = 1024;
inline constexpr std::array<uint32_t, 3> kLargestBlock{1024, 1024, 64};
inline constexpr uint32_t kMostSharedBytes = 227 * 1024;  // what sm_90 lets a kernel opt in to

}  // namespace cuda_device
