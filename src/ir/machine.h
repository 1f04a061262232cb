// Executes StepCode. The states of a launch, a block and a thread are values, so that threads can
// be run in any interleaving.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "ir/interpreter.h"
#include "ir/step_code.h"

namespace cuda_device::ir {

struct Launch {
  const StepCode& code;
  const std::vector<Argument>& arguments;
  Grid grid;
};

struct Thread {
  Thread(const Launch& launch, std::array<uint32_t, 3> block, std::array<uint32_t, 3> index)
      : block(block), index(index), registers(launch.code.initial) {}

  std::array<uint32_t, 3> block;
  std::array<uint32_t, 3> index;  // in the block
  uint32_t next = 0;              // step
  std::vector<int64_t> registers;
};

enum class Outcome : uint8_t { Finished, OutOfSteps };

// Goes on where the thread stopped, for at most `steps` steps.
Outcome advance(const Launch& launch, Thread& thread, uint64_t steps);

// How often `for` runs its body.
uint64_t trip_count(ScalarKind kind, int64_t start, int64_t stop, int64_t step);

}  // namespace cuda_device::ir
