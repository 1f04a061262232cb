#include "runtime/host/fibres/slabs.h"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "runtime/memory/pages.h"
#include "support/fork.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace cuda_device::runtime::fibres {

// Pieces of one mapping, each of one block. What is free is guarded by the lock of all slabs.
class Slab {
 public:
  // Null: no memory.
  static std::unique_ptr<Slab> map(const BlockLayout& layout, uint32_t count);
  ~Slab();
  Slab(const Slab&) = delete;
  Slab& operator=(const Slab&) = delete;

  const BlockLayout layout;
  const uint32_t count;
  uint32_t begun = 0;  // pieces that were taken before, and have their guards
  // The free ones among those: with memory, and without.
  std::vector<uint32_t> kept, empty;

  bool idle() const { return kept.size() + empty.size() == begun; }
  bool has_free() const { return !kept.empty() || !empty.empty() || begun < count; }
  char* piece(uint32_t number) const { return memory_ + number * layout.size(); }
  uint32_t number(const char* piece) const {
    return static_cast<uint32_t>(static_cast<size_t>(piece - memory_) / layout.size());
  }
  void guard(uint32_t number);
  void release(uint32_t number) { madvise(piece(number), layout.size(), MADV_DONTNEED); }

 private:
  Slab(const BlockLayout& l, uint32_t n, char* memory) : layout(l), count(n), memory_(memory) {
    kept.reserve(n);
    empty.reserve(n);
  }

  char* const memory_;
  std::atomic<uint64_t> mappings_{1};
};

namespace {

constexpr size_t kSlabBytes = size_t{64} << 20;
// Names that are younger than many headers.
constexpr int kInstallGuard = 102;     // MADV_GUARD_INSTALL
constexpr long kProcessMadvise = 440;  // __NR_process_madvise, on every architecture
constexpr int kThisProcess = -10000;   // PIDFD_SELF

// Mappings that this process has for stacks, and may have.
std::atomic<uint64_t> mappings{0};

uint64_t most_mappings() {
  static const uint64_t most = [] {
    uint64_t limit = 65530;
    std::ifstream("/proc/sys/vm/max_map_count") >> limit;
    return limit / 2;
  }();
  return most;
}

bool take_mappings(uint64_t wanted, uint64_t most) {
  if (mappings.fetch_add(wanted, std::memory_order_relaxed) + wanted <= most) return true;
  mappings.fetch_sub(wanted, std::memory_order_relaxed);
  return false;
}

size_t most_kept() {
  static const size_t most = total_bytes() / 64;
  return most;
}

uint32_t blocks_of_a_slab(const BlockLayout& layout) {
  const size_t bytes = std::min(kSlabBytes, most_kept() / 4);
  return static_cast<uint32_t>(std::max<size_t>(1, bytes / layout.size()));
}

// Installs guards in `count` pages, the first at `first`. How many of them, from the first one on,
// have theirs: none before Linux 6.15. A call for each page takes twice as long.
uint32_t guard_together(char* first, size_t stride, uint32_t count) {
  std::array<iovec, 128> pages;
  uint32_t done = 0;
  while (done < count) {
    const uint32_t n = std::min<uint32_t>(count - done, pages.size());
    for (uint32_t i = 0; i < n; ++i) pages[i] = {first + (done + i) * stride, kPage};
    const long bytes =
        syscall(kProcessMadvise, kThisProcess, pages.data(), size_t{n}, kInstallGuard, 0);
    if (bytes <= 0) break;
    done += static_cast<uint32_t>(static_cast<size_t>(bytes) / kPage);
  }
  return done;
}

}  // namespace

std::unique_ptr<Slab> Slab::map(const BlockLayout& layout, uint32_t count) {
  if (!take_mappings(1, most_mappings())) return nullptr;
  // Threads touch little of their stacks: nothing is set aside for the rest, and no huge page made.
  void* const memory = mmap(nullptr, layout.size() * count, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    mappings.fetch_sub(1, std::memory_order_relaxed);
    return nullptr;
  }
  madvise(memory, layout.size() * count, MADV_NOHUGEPAGE);
  try {
    return std::unique_ptr<Slab>(new Slab(layout, count, static_cast<char*>(memory)));
  } catch (const std::bad_alloc&) {
    munmap(memory, layout.size() * count);
    mappings.fetch_sub(1, std::memory_order_relaxed);
    return nullptr;
  }
}

Slab::~Slab() {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(memory_, layout.size() * count);
#endif
  munmap(memory_, layout.size() * count);
  mappings.fetch_sub(mappings_, std::memory_order_relaxed);
}

void Slab::guard(uint32_t number) {
  char* const first = piece(number) + layout.arrays;
  const auto page_of = [&](uint32_t stack) { return first + stack * layout.stride; };
  uint32_t stack = guard_together(first, layout.stride, layout.stacks);
  while (stack < layout.stacks && madvise(page_of(stack), kPage, kInstallGuard) == 0) ++stack;
  const uint32_t each = 2;  // a page that differs and what comes after it
  const uint64_t wanted = uint64_t{layout.stacks - stack} * each;
  if (wanted == 0 || !take_mappings(wanted, most_mappings() / 2)) return;
  mappings_.fetch_add(wanted, std::memory_order_relaxed);
  for (; stack < layout.stacks; ++stack) mprotect(page_of(stack), kPage, PROT_NONE);
}

namespace {

ForkMutex slabs_mutex;

using Unmapped = std::vector<std::unique_ptr<Slab>>;  // to be destroyed without the lock

// All of the process, the oldest first.
class Slabs {
 public:
  BlockMemory take(const BlockLayout& layout);
  void give(const BlockMemory& memory);
  bool make(const BlockLayout& layout, uint32_t count);
  void drop_idle();
  size_t bytes() const {
    std::lock_guard lock(slabs_mutex);
    return bytes_;
  }

 private:
  void make_room(size_t bytes, Unmapped& gone);
  void drop(size_t index, Unmapped& gone);
  void drop_if_empty(const Slab& slab, Unmapped& gone);

  Unmapped slabs_;
  size_t bytes_ = 0;  // of pieces that are kept
};

// A piece of a slab that is there.
BlockMemory Slabs::take(const BlockLayout& layout) {
  Slab* slab = nullptr;
  uint32_t number = 0;
  bool is_new = false;
  {
    std::lock_guard lock(slabs_mutex);
    for (size_t i = slabs_.size(); i-- > 0 && !slab;)
      if (slabs_[i]->layout == layout && slabs_[i]->has_free()) slab = slabs_[i].get();
    if (!slab) return {};
    is_new = slab->kept.empty() && slab->empty.empty();
    if (is_new) {
      number = slab->begun++;
    } else {
      std::vector<uint32_t>& from = slab->kept.empty() ? slab->empty : slab->kept;
      if (&from == &slab->kept) bytes_ -= layout.size();
      number = from.back();
      from.pop_back();
    }
  }
  if (is_new) slab->guard(number);
  return {slab->piece(number), slab};
}

bool Slabs::make(const BlockLayout& layout, uint32_t count) {
  std::unique_ptr<Slab> made = Slab::map(layout, count);
  if (!made) return false;
  std::lock_guard lock(slabs_mutex);
  try {
    slabs_.push_back(std::move(made));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

void Slabs::give(const BlockMemory& memory) {
  Slab& slab = *memory.slab;
  const uint32_t number = slab.number(memory.memory);
  const size_t bytes = slab.layout.size();
  Unmapped gone;  // outlives the locks
  {
    std::lock_guard lock(slabs_mutex);
    make_room(bytes, gone);
    if (bytes_ + bytes <= most_kept()) {
      bytes_ += bytes;
      slab.kept.push_back(number);
      return;
    }
  }
  slab.release(number);
  std::lock_guard lock(slabs_mutex);
  slab.empty.push_back(number);
  drop_if_empty(slab, gone);
}

void Slabs::drop(size_t index, Unmapped& gone) {
  const Slab& slab = *slabs_[index];
  const size_t bytes = slab.kept.size() * slab.layout.size();
  try {
    gone.push_back(nullptr);
  } catch (const std::bad_alloc&) {
    return;
  }
  bytes_ -= bytes;
  gone.back() = std::move(slabs_[index]);
  slabs_.erase(slabs_.begin() + static_cast<std::ptrdiff_t>(index));
}

void Slabs::make_room(size_t bytes, Unmapped& gone) {
  if (bytes > most_kept()) return;
  for (size_t i = 0; i < slabs_.size() && bytes_ + bytes > most_kept();) {
    const size_t before = slabs_.size();
    if (slabs_[i]->idle()) drop(i, gone);
    if (slabs_.size() == before) ++i;
  }
}

void Slabs::drop_if_empty(const Slab& slab, Unmapped& gone) {
  if (!slab.kept.empty() || !slab.idle()) return;
  for (size_t i = slabs_.size(); i-- > 0;)
    if (slabs_[i].get() == &slab) return drop(i, gone);
}

void Slabs::drop_idle() {
  Unmapped gone;
  std::lock_guard lock(slabs_mutex);
  for (size_t i = slabs_.size(); i-- > 0;)
    if (slabs_[i]->idle()) drop(i, gone);
}

Slabs& slabs() {
  static Slabs* const made = new Slabs;  // outlives every thread
  return *made;
}
[[maybe_unused]] Slabs& made_at_load = slabs();

}  // namespace

BlockMemory take_memory(const BlockLayout& layout) {
  for (const bool last : {false, true}) {
    if (const BlockMemory found = slabs().take(layout); found.memory) return found;
    if (!slabs().make(layout, last ? 1 : blocks_of_a_slab(layout)) && !last) slabs().drop_idle();
  }
  return slabs().take(layout);
}

void give_memory(const BlockMemory& memory) { slabs().give(memory); }

size_t kept_bytes() { return slabs().bytes(); }

}  // namespace cuda_device::runtime::fibres
