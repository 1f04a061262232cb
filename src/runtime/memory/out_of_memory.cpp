#include "runtime/memory/out_of_memory.h"

namespace cuda_device::runtime {

OutOfMemory::OutOfMemory(uint64_t asked, uint64_t free, uint64_t total, const std::string& where)
    : asked(asked), free(free), total(total) {
  text_ = "out of memory: " + std::to_string(asked) + " bytes of " + where + " were requested, " +
          std::to_string(free) + " of " + std::to_string(total) +
          " are free\n  free arrays and buffers that are not needed any more, or work on smaller "
          "parts";
}

std::string place_text(int device, abi::MemoryKind kind) {
  if (device == abi::kHostDevice) return "memory of the host device";
  return std::string(abi::name_of(kind)) + " memory of GPU " + std::to_string(device);
}

}  // namespace cuda_device::runtime
