// Words of pinned memory that a GPU waits for and the host writes: how a GPU's stream waits for an
// event of the host without keeping a thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/cuda/driver_types.h"

namespace cuda_device::cuda {

struct WaitCell {
  std::atomic<uint32_t>* host = nullptr;
  CUdeviceptr device = 0;
  explicit operator bool() const { return host != nullptr; }
};

// A cell that holds 0. A context must be current. Throws DriverError.
WaitCell take_wait_cell();
void give_wait_cell(WaitCell cell);  // when neither side uses it any more

void give_back_wait_cells();  // of the process's end

}  // namespace cuda_device::cuda
