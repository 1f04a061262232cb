#include "runtime/cuda/wait_cell.h"

#include <vector>

#include "runtime/cuda/context.h"
#include "runtime/cuda/gpu.h"
#include "support/fork.h"

namespace cuda_device::cuda {
namespace {

constexpr size_t kPage = 4096;

ForkMutex cells_mutex;
struct Cells {
  std::vector<WaitCell::Word> free;  // with room for all that there are
  size_t pages = 0;                  // they stay as long as the process
};
Cells& cells() {
  static Cells* const made = new Cells;
  return *made;
}

bool take_free(WaitCell::Word& word) {
  const std::lock_guard lock(cells_mutex);
  if (cells().free.empty()) return false;
  word = cells().free.back();
  cells().free.pop_back();
  word.host->store(0, std::memory_order_relaxed);
  return true;
}

// Pages lie in the primary context: one of another library may be destroyed, and its memory with
// it.
void add_page(Gpu& gpu) {
  const Driver& d = driver();
  const BesideCaptures allowed;
  const CurrentContext current(gpu.context().handle());
  void* page = nullptr;
  CUdeviceptr device = 0;
  d.check(d.pinned_alloc(&page, kPage, kPinnedPortable | kPinnedDeviceMap),
          "allocating memory that the host and GPUs share");
  const CUresult result = d.pinned_pointer(&device, page, 0);
  if (result != kSuccess) d.pinned_free(page);
  d.check(result, "asking where a GPU sees memory of the host");
  const std::lock_guard lock(cells_mutex);
  ++cells().pages;
  cells().free.reserve(cells().pages * kPage / sizeof(uint32_t));
  for (size_t at = 0; at < kPage; at += sizeof(uint32_t))
    cells().free.push_back(
        {new (static_cast<char*>(page) + at) std::atomic<uint32_t>(0), device + at});
}

}  // namespace

WaitCell::~WaitCell() {
  const std::lock_guard lock(cells_mutex);
  cells().free.push_back(word_);
}

std::shared_ptr<WaitCell> take_wait_cell(Gpu& gpu) {
  WaitCell::Word word;
  while (!take_free(word)) add_page(gpu);
  return std::make_shared<WaitCell>(word);
}

}  // namespace cuda_device::cuda
