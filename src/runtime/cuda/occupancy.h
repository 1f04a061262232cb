// What a kernel takes of a GPU's multiprocessor, and how many of its blocks fit there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cuda_device::cuda {

// The resources of one kernel, as ptxas -v prints them.
struct Resources {
  uint32_t registers = 0;                      // of a thread
  uint32_t spill_stores = 0, spill_loads = 0;  // bytes of a thread
  uint32_t stack = 0;                          // bytes of a thread
  uint32_t largest_frame = 0;                  // bytes, of any function
  uint32_t shared = 0;                         // bytes of a block, static
};
std::optional<Resources> resources_of(const std::string& log);  // none where it says nothing

struct Occupancy {
  uint32_t blocks = 0;        // of a multiprocessor at once; 0: a block does not fit
  uint32_t most_threads = 0;  // that a multiprocessor holds
  const char* limit = "";     // what there would have to be more of
};
// For an architecture that PTX is written for, by its published limits. `threads` of a block,
// `shared`: all its bytes. None for other architectures.
std::optional<Occupancy> occupancy(int sm, uint32_t registers, uint32_t threads, uint32_t shared);

}  // namespace cuda_device::cuda
