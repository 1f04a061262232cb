#include "runtime/cuda/array_copies.h"

#include <algorithm>
#include <cstring>

namespace cuda_device::cuda {
namespace {

Region region_of(const abi::ParamSlot& slot, const char* params) {
  ElementRows rows = rows_of(slot, params);
  Region r;
  r.begin = rows.begin;
  r.end = rows.end();
  if (!slot.read_only) r.written.push_back(std::move(rows));
  return r;
}

// The device's copy of a region's first byte. The host's offset within 256 bytes is kept, so
// alignment facts hold for the copy too.
CUdeviceptr start_of(const Region& r) { return r.device + r.begin % 256; }

const Region* region_holding(const std::vector<Region>& regions, uint64_t address) {
  for (const Region& r : regions)
    if (address >= r.begin && address < r.end) return &r;
  return nullptr;
}

}  // namespace

bool Region::all_written() const {
  return std::any_of(written.begin(), written.end(), [this](const ElementRows& rows) {
    return rows.begin == begin && rows.bytes == end - begin;
  });
}

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
    merged.back().written.insert(merged.back().written.end(), r.written.begin(), r.written.end());
  }
  return merged;
}

ArrayCopies::ArrayCopies(const abi::ParamLayout& layout, char* params)
    : regions_(regions_of(layout, params)) {
  const Driver& d = driver();
  try {
    for (Region& r : regions_) {
      d.check(d.memory_alloc(&r.device, r.end - r.begin + r.begin % 256),
              "allocating device memory for a launch");
      d.check(
          d.copy_to_device(start_of(r), reinterpret_cast<const void*>(r.begin), r.end - r.begin),
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
    if (const Region* r = region_holding(regions_, data)) data = start_of(*r) + (data - r->begin);
    std::memcpy(params + slot.offset, &data, 8);
  }
}

void ArrayCopies::copy_back() const {
  const Driver& d = driver();
  const auto fetch = [&](const Region& r, void* to) {
    d.check(d.copy_to_host(to, start_of(r), r.end - r.begin), "copying an array back from the GPU");
  };
  std::vector<char> whole;
  for (const Region& r : regions_) {
    if (r.written.empty()) continue;
    if (r.all_written()) {
      fetch(r, reinterpret_cast<void*>(r.begin));
      continue;
    }
    whole.resize(r.end - r.begin);
    fetch(r, whole.data());
    for (const ElementRows& rows : r.written)
      for_each_row(rows, [&](uint64_t address) {
        std::memcpy(reinterpret_cast<void*>(address), &whole[address - r.begin], rows.bytes);
      });
  }
}

void ArrayCopies::release() {
  const Driver* const d = working_driver();
  for (Region& r : regions_)
    if (r.device && d) d->memory_free(r.device);
}

ArrayCopies::~ArrayCopies() { release(); }

}  // namespace cuda_device::cuda
