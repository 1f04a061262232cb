// What a GPU still uses: kept until an event after it has come, then let go. An event for each
// launch would cost as much as the launch, so one serves for the launches of some microseconds.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "abi/owner.h"
#include "runtime/cuda/driver_types.h"
#include "runtime/cuda/wait_cell.h"

namespace cuda_device::cuda {

class GpuKernel;

// One launch, or one wait for a cell.
struct InFlight {
  std::shared_ptr<const GpuKernel> kernel;
  abi::Owner* owner = nullptr;
  std::shared_ptr<WaitCell> cell{};
};

struct Batch {
  std::vector<InFlight> items;
  CUevent event = nullptr;  // after them; null until it is recorded, or where that failed
  bool gone = false;        // it was let go of
};

using Batches = std::deque<std::shared_ptr<Batch>>;

}  // namespace cuda_device::cuda
