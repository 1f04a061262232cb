#include "runtime/cuda/array_copies.h"

#include <algorithm>
#include <cstring>

namespace cuda_device::cuda {
namespace {

Region region_of(const abi::ParamSlot& slot, const char* params) {
  const char* at = params + slot.offset;
  uint64_t data;
  std::memcpy(&data, at, 8);
  Region r{data, data, !slot.read_only, 0};
  uint64_t lowest = data, highest = data;
  for (int axis = 0; axis < slot.ndim; ++axis) {
    int64_t extent, stride;
    std::memcpy(&extent, at + 8 + 8 * axis, 8);
    std::memcpy(&stride, at + 8 + 8 * (slot.ndim + axis), 8);
    if (extent == 0) return r;
    const int64_t reach = (extent - 1) * stride;
    (reach < 0 ? lowest : highest) += static_cast<uint64_t>(reach);
  }
  r.begin = lowest;
  r.end = highest + static_cast<uint64_t>(bytes_of(slot.scalar));
  return r;
}

const Region* region_holding(const std::vector<Region>& regions, uint64_t address) {
  for (const Region& r : regions)
    if (address >= r.begin && address < r.end) return &r;
  return nullptr;
}

}  // namespace

std::vector<Region> regions_of(const abi::ParamLayout& layout, const char* params) {
  std::vector<Region> all, merged;
  for (const abi::ParamSlot& slot : layout.slots)
    if (slot.is_array)
      if (Region r = region_of(slot, params); r.begin != r.end) all.push_back(r);
  std::sort(all.begin(), all.end(),
            [](const Region& a, const Region& b) { return a.begin < b.begin; });
  for (const Region& r : all) {
    if (merged.empty() || r.begin >= merged.back().end) {
      merged.push_back(r);
      continue;
    }
    merged.back().end = std::max(merged.back().end, r.end);
    merged.back().written |= r.written;
  }
  return merged;
}

ArrayCopies::ArrayCopies(const abi::ParamLayout& layout, char* params)
    : regions_(regions_of(layout, params)) {
  const Driver& d = driver();
  try {
    for (Region& r : regions_) {
      // The host's offset within 256 bytes is kept, so alignment facts hold for the copy too.
      const uint64_t lead = r.begin % 256;
      d.check(d.memory_alloc(&r.device, r.end - r.begin + lead),
              "allocating device memory for a launch");
      d.check(d.copy_to_device(r.device + lead, reinterpret_cast<const void*>(r.begin),
                               r.end - r.begin),
              "copying an array to the GPU");
    }
  } catch (...) {
    release();
    throw;
  }
  for (const abi::ParamSlot& slot : layout.slots) {
    if (!slot.is_array) continue;
    uint64_t data;
    std::memcpy(&data, params + slot.offset, 8);
    if (const Region* r = region_holding(regions_, data))
      data = r->device + r->begin % 256 + (data - r->begin);
    std::memcpy(params + slot.offset, &data, 8);
  }
}

void ArrayCopies::copy_back() const {
  const Driver& d = driver();
  for (const Region& r : regions_)
    if (r.written)
      d.check(d.copy_to_host(reinterpret_cast<void*>(r.begin), r.device + r.begin % 256,
                             r.end - r.begin),
              "copying an array back from the GPU");
}

void ArrayCopies::release() {
  for (Region& r : regions_)
    if (r.device) driver().memory_free(r.device);
}

ArrayCopies::~ArrayCopies() { release(); }

}  // namespace cuda_device::cuda
