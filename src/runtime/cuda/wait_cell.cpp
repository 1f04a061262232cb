#include "runtime/cuda/wait_cell.h"

#include <vector>

#include "runtime/cuda/driver.h"
#include "support/fork.h"

namespace cuda_device::cuda {
namespace {

constexpr size_t kPage = 4096;

ForkMutex mutex;
struct Cells {
  std::vector<WaitCell> free;
  std::vector<void*> pages;
};
Cells& cells() {
  static Cells* const made = new Cells;
  return *made;
}

bool take_free(WaitCell& cell) {
  const std::lock_guard lock(mutex);
  if (cells().free.empty()) return false;
  cell = cells().free.back();
  cells().free.pop_back();
  cell.host->store(0, std::memory_order_relaxed);
  return true;
}

void add_page() {
  const Driver& d = driver();
  void* page = nullptr;
  CUdeviceptr device = 0;
  d.check(d.pinned_alloc(&page, kPage, kPinnedPortable | kPinnedDeviceMap),
          "allocating memory that the host and GPUs share");
  const CUresult result = d.pinned_pointer(&device, page, 0);
  if (result != kSuccess) d.pinned_free(page);
  d.check(result, "asking where a GPU sees memory of the host");
  const std::lock_guard lock(mutex);
  cells().pages.push_back(page);
  for (size_t at = 0; at < kPage; at += sizeof(uint32_t))
    cells().free.push_back(
        {new (static_cast<char*>(page) + at) std::atomic<uint32_t>(0), device + at});
}

}  // namespace

WaitCell take_wait_cell() {
  WaitCell cell;
  while (!take_free(cell)) add_page();
  return cell;
}

void give_wait_cell(WaitCell cell) {
  const std::lock_guard lock(mutex);
  cells().free.push_back(cell);
}

void give_back_wait_cells() {
  const std::lock_guard lock(mutex);
  for (void* page : cells().pages) driver().pinned_free(page);
  cells() = {};
}

}  // namespace cuda_device::cuda
