// One kernel run over its blocks, shared by the threads that take part.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "abi/kernel_image.h"

namespace cuda_device::runtime {

// Blocks are claimed in chunks, in increasing order: a block may wait for lower-numbered ones,
// never for higher.
class Job {
 public:
  Job(abi::HostEntry entry, const void* params, const abi::LaunchDims& dims, uint32_t arena_bytes);
  // Claims and runs chunks until none is left. Any number of threads.
  void work();
  // Waits until every block has run. The caller has called work() before.
  void wait() const;
  uint64_t blocks() const { return blocks_; }
  void set_chunk(uint64_t chunk) { chunk_ = chunk; }
  bool exhausted() const { return next_.load(std::memory_order_relaxed) >= blocks_; }

 private:
  void run_chunks();
  abi::HostEntry entry_;
  const void* params_;
  abi::HostContext context_;
  uint32_t arena_bytes_;
  uint64_t blocks_;
  uint64_t chunk_ = 1;
  std::atomic<uint64_t> next_{0};
  std::atomic<uint64_t> done_{0};
};

}  // namespace cuda_device::runtime
