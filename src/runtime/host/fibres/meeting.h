// What threads get that meet at an operation of their warp.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "abi/host_thread.h"

namespace cuda_device::runtime::fibres {

inline constexpr uint32_t kLanes = 32;

// Calls with each lane of the set.
template <class Use>
void for_each_lane(uint32_t lanes, Use use) {
  for (; lanes != 0; lanes &= lanes - 1) use(static_cast<uint32_t>(std::countr_zero(lanes)));
}

// By lane; only those of the threads that take part mean anything.
struct Meeting {
  abi::ThreadMeeting kind{};
  uint32_t lanes = 0;                           // that take part
  const std::array<uint64_t, kLanes>& values;   // operands, zero-extended
  const std::array<uint32_t, kLanes>& numbers;  // lane operands of shuffles
};

// The same as the interpreter's (src/ir/warp.h). Of a lane that takes no part a shuffle gives the
// pattern 0x0bad0bad….
void write_results(const Meeting& meeting, std::array<uint64_t, kLanes>& results);

}  // namespace cuda_device::runtime::fibres
