// Words of pinned memory that a GPU waits for and the host writes: how a GPU's stream waits for an
// event of the host without keeping a thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "runtime/cuda/driver_types.h"

namespace cuda_device::cuda {

class Gpu;

// Held by both sides: it must not be reused before the host has written and the GPU is past it or
// lost.
class WaitCell {
 public:
  struct Word {
    std::atomic<uint32_t>* host = nullptr;
    CUdeviceptr device = 0;
  };
  explicit WaitCell(Word word) : word_(word) {}
  WaitCell(const WaitCell&) = delete;
  WaitCell& operator=(const WaitCell&) = delete;
  ~WaitCell();

  CUdeviceptr device() const { return word_.device; }
  void write() { word_.host->store(1, std::memory_order_release); }

 private:
  const Word word_;
};

// A cell that holds 0, for any GPU; memory for more of them is of this one's. Throws DriverError.
std::shared_ptr<WaitCell> take_wait_cell(Gpu& gpu);

}  // namespace cuda_device::cuda
