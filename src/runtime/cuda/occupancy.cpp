#include "runtime/cuda/occupancy.h"

#include <algorithm>
#include <cstring>

namespace cuda_device::cuda {
namespace {

// The table of technical specifications in NVIDIA's CUDA C++ Programming Guide.
struct Multiprocessor {
  int sm;
  uint32_t threads, blocks, shared_kib;
  uint32_t reserved;  // bytes of shared memory of each block that the system keeps
};
constexpr Multiprocessor kMultiprocessors[] = {
    {75, 1024, 16, 64, 0},      {80, 2048, 32, 164, 1024}, {86, 1536, 16, 100, 1024},
    {89, 1536, 24, 100, 1024},  {90, 2048, 32, 228, 1024}, {100, 2048, 32, 228, 1024},
    {120, 1536, 24, 100, 1024},
};
// The same on all of them.
constexpr uint32_t kWarp = 32, kRegisters = 65536;
constexpr uint32_t kRegistersAtOnce = 256;  // of a warp, given out in such pieces
constexpr uint32_t kParts = 4;              // of a multiprocessor, each with its registers
constexpr uint32_t kSharedAtOnce = 128;     // bytes

constexpr const char* kFrame = " bytes stack frame";

uint32_t divide_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
uint32_t round_up(uint32_t a, uint32_t to) { return divide_up(a, to) * to; }

// The number in front of these words, 0 where they are not there.
uint32_t number_before(const std::string& text, const std::string& words) {
  const size_t at = text.find(words);
  if (at == std::string::npos) return 0;
  size_t first = at;
  while (first > 0 && text[first - 1] >= '0' && text[first - 1] <= '9') --first;
  return first == at ? 0 : static_cast<uint32_t>(std::stoul(text.substr(first, at - first)));
}

uint32_t warps_by_registers(uint32_t registers) {
  if (registers == 0) return UINT32_MAX;
  const uint32_t of_warp = round_up(registers * kWarp, kRegistersAtOnce);
  return kRegisters / kParts / of_warp * kParts;
}

}  // namespace

std::optional<Resources> resources_of(const std::string& log) {
  if (log.find(" registers") == std::string::npos) return std::nullopt;
  Resources found;
  found.registers = number_before(log, " registers");
  found.spill_stores = number_before(log, " bytes spill stores");
  found.spill_loads = number_before(log, " bytes spill loads");
  found.stack = number_before(log, kFrame);
  for (size_t at = log.find(kFrame); at != std::string::npos; at = log.find(kFrame, at + 1)) {
    const std::string until = log.substr(0, at + std::strlen(kFrame));
    found.largest_frame =
        std::max(found.largest_frame, number_before(until.substr(until.rfind('\n') + 1), kFrame));
  }
  found.shared = number_before(log, " bytes smem");
  return found;
}

std::optional<Occupancy> occupancy(int sm, uint32_t registers, uint32_t threads, uint32_t shared) {
  const auto* const at = std::find_if(std::begin(kMultiprocessors), std::end(kMultiprocessors),
                                      [&](const Multiprocessor& m) { return m.sm == sm; });
  if (at == std::end(kMultiprocessors) || threads == 0) return std::nullopt;
  const uint32_t warps = divide_up(threads, kWarp);
  const uint32_t shared_bytes = round_up(shared + at->reserved, kSharedAtOnce);
  const struct {
    uint32_t blocks;
    const char* what;
  } limits[] = {
      {at->threads / kWarp / warps, "threads"},
      {at->blocks, "blocks"},
      {warps_by_registers(registers) / warps, "registers"},
      {shared_bytes ? at->shared_kib * 1024 / shared_bytes : UINT32_MAX, "shared memory"}};
  Occupancy least{limits[0].blocks, at->threads, limits[0].what};
  for (const auto& limit : limits)
    if (limit.blocks < least.blocks) {
      least.blocks = limit.blocks;
      least.limit = limit.what;
    }
  return least;
}

}  // namespace cuda_device::cuda
