#include "runtime/cuda/wait_cell.h"

#include <vector>

#include "runtime/cuda/driver.h"
#include "support/fork.h"

namespace cuda_device::cuda {
namespace {

constexpr size_t kPage = 4096;

ForkMutex mutex;
struct Page {
  void* memory;
  CUcontext context;  // current when it was made, and to be when it goes
};
struct Cells {
  std::vector<WaitCell::Word> free;  // with room for all that there are
  std::vector<Page> pages;
};
Cells& cells() {
  static Cells* const made = new Cells;
  return *made;
}

bool take_free(WaitCell::Word& word) {
  const std::lock_guard lock(mutex);
  if (cells().free.empty()) return false;
  word = cells().free.back();
  cells().free.pop_back();
  word.host->store(0, std::memory_order_relaxed);
  return true;
}

void add_page() {
  const Driver& d = driver();
  const BesideCaptures allowed;
  void* page = nullptr;
  CUcontext context = nullptr;
  CUdeviceptr device = 0;
  d.check(d.context_get(&context), "asking for the current context");
  d.check(d.pinned_alloc(&page, kPage, kPinnedPortable | kPinnedDeviceMap),
          "allocating memory that the host and GPUs share");
  const CUresult result = d.pinned_pointer(&device, page, 0);
  if (result != kSuccess) d.pinned_free(page);
  d.check(result, "asking where a GPU sees memory of the host");
  const std::lock_guard lock(mutex);
  cells().pages.push_back({page, context});
  cells().free.reserve(cells().pages.size() * kPage / sizeof(uint32_t));
  for (size_t at = 0; at < kPage; at += sizeof(uint32_t))
    cells().free.push_back(
        {new (static_cast<char*>(page) + at) std::atomic<uint32_t>(0), device + at});
}

}  // namespace

WaitCell::~WaitCell() {
  const std::lock_guard lock(mutex);
  cells().free.push_back(word_);
}

std::shared_ptr<WaitCell> take_wait_cell() {
  WaitCell::Word word;
  while (!take_free(word)) add_page();
  return std::make_shared<WaitCell>(word);
}

void give_back_wait_cells() {
  const std::lock_guard lock(mutex);
  for (const Page& page : cells().pages) try {
      const CurrentContext current(page.context);
      driver().pinned_free(page.memory);
    } catch (const DriverError&) {
      // The context is gone, and the memory with it.
    }
  cells() = {};
}

}  // namespace cuda_device::cuda
