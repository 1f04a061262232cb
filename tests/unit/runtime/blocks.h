// Kernels for tests of the pool: C++ functions in the place of compiled code.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/host/job.h"

namespace cuda_device::runtime {

inline abi::LaunchDims grid_of(uint32_t x, uint32_t y = 1, uint32_t z = 1) {
  abi::LaunchDims dims;
  dims.grid = {x, y, z};
  return dims;
}

// How often each block has run; `during` is called in every block.
struct Counts {
  explicit Counts(uint32_t blocks, void (*during)(uint64_t block) = nullptr)
      : runs(blocks), during(during) {}
  std::vector<std::atomic<int>> runs;
  void (*during)(uint64_t block);

  static void entry(const void* params, const abi::HostContext*, uint64_t first, uint64_t last) {
    Counts& self = **static_cast<Counts* const*>(params);
    for (uint64_t b = first; b < last; ++b) {
      ++self.runs[b];
      if (self.during) self.during(b);
    }
  }
  std::shared_ptr<Job> job(uint32_t arena = 0) {
    return std::make_shared<Job>(&entry, &self_, grid_of(static_cast<uint32_t>(runs.size())),
                                 arena);
  }
  bool all_once() const {
    for (const auto& r : runs)
      if (r != 1) return false;
    return true;
  }
  uint32_t how_many() const {
    uint32_t n = 0;
    for (const auto& r : runs) n += r != 0;
    return n;
  }

 private:
  Counts* self_ = this;
};

}  // namespace cuda_device::runtime
