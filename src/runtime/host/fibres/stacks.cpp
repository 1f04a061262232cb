#include "runtime/host/fibres/stacks.h"

#include <sys/auxv.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <mutex>
#include <utility>
#include <vector>

#include "runtime/memory/pages.h"
#include "support/fork.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace cuda_device::runtime::fibres {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kLine = 64;
constexpr int kInstallGuard = 102;  // MADV_GUARD_INSTALL, which is younger than most headers

size_t round_to_page(size_t n) { return (n + kPage - 1) / kPage * kPage; }

// What a thread's own code calls: output, mathematics, the handler of a signal on top of either,
// and of another on top of that.
size_t bytes_of_callees() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr size_t kFunctions = 192 << 10;
#else
  constexpr size_t kFunctions = 32 << 10;
#endif
  static const size_t bytes = kFunctions + 2 * std::max<size_t>(getauxval(AT_MINSIGSTKSZ), 8192);
  return bytes;
}

// Stacks begin at different lines of their pages: threads in turn touch the top of each, and lines
// at one place of many pages drive each other out of the cache.
constexpr size_t kColours = 16;
constexpr size_t kColour = 2 * kLine;

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

bool take_mappings(uint64_t count, uint64_t most) {
  if (mappings.fetch_add(count, std::memory_order_relaxed) + count <= most) return true;
  mappings.fetch_sub(count, std::memory_order_relaxed);
  return false;
}

}  // namespace

// An odd number of pages: neighbours do not share the sets of a cache.
size_t Stacks::stride() const {
  const size_t used = round_to_page(shape_.frame + bytes_of_callees() + kColours * kColour);
  return (used / kPage | 1) * kPage + 2 * kPage;
}

size_t Stacks::arrays_size() const { return round_to_page(shape_.arrays); }

char* Stacks::bottom(uint32_t thread) const {
  return memory_ + arrays_size() + thread * stride() + kPage;
}

char* Stacks::top(uint32_t thread) const {
  return memory_ + arrays_size() + (thread + size_t{1}) * stride() - thread % kColours * kColour;
}

Stacks Stacks::map(const Shape& shape) {
  Stacks made;
  if (!take_mappings(1, most_mappings())) return made;
  made.shape_ = shape;
  made.mappings_ = 1;
  // Threads touch little of their stacks: nothing is set aside for the rest, and no huge page made.
  void* const memory = mmap(nullptr, made.size(), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    mappings.fetch_sub(1, std::memory_order_relaxed);
    return Stacks();
  }
  made.memory_ = static_cast<char*>(memory);
  madvise(memory, made.size(), MADV_NOHUGEPAGE);
  made.guard();
  return made;
}

void Stacks::guard() {
  const auto page_of = [&](uint32_t thread) { return bottom(thread) - kPage; };
  uint32_t thread = 0;
  while (thread < shape_.threads && madvise(page_of(thread), kPage, kInstallGuard) == 0) ++thread;
  const uint32_t each = 2;  // a page that differs and what comes after it
  const uint32_t wanted = (shape_.threads - thread) * each;
  if (wanted == 0 || !take_mappings(wanted, most_mappings() / 2)) return;
  mappings_ += wanted;
  for (; thread < shape_.threads; ++thread) mprotect(page_of(thread), kPage, PROT_NONE);
}

void Stacks::unmap() {
  if (!memory_) return;
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(memory_, size());
#endif
  munmap(std::exchange(memory_, nullptr), size());
  mappings.fetch_sub(mappings_, std::memory_order_relaxed);
}

Stacks& Stacks::operator=(Stacks&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  shape_ = other.shape_;
  mappings_ = other.mappings_;
  memory_ = std::exchange(other.memory_, nullptr);
  return *this;
}

namespace {

ForkMutex kept_mutex;

}  // namespace

// Those that nobody uses, the oldest first.
class StacksKept {
 public:
  Stacks take(const Stacks::Shape& shape) {
    std::lock_guard lock(kept_mutex);
    for (size_t i = kept_.size(); i-- > 0;) {
      if (kept_[i].shape_ != shape) continue;
      Stacks found = std::move(kept_[i]);
      kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(i));
      bytes_ -= found.size();
      return found;
    }
    return {};
  }
  // Takes it where there is room.
  void give(Stacks& stacks) {
    static const size_t most = total_bytes() / 64;
    std::vector<Stacks> too_old;  // they go without the lock
    {
      std::lock_guard lock(kept_mutex);
      const size_t bytes = stacks.size();
      if (bytes > most) return;
      try {
        kept_.reserve(kept_.size() + 1);
        while (bytes_ + bytes > most) {
          too_old.push_back({});
          too_old.back() = std::move(kept_.front());
          bytes_ -= too_old.back().size();
          kept_.erase(kept_.begin());
        }
      } catch (const std::bad_alloc&) {
        return;
      }
      bytes_ += bytes;
      kept_.push_back(std::move(stacks));
    }
    for (Stacks& stacks_gone : too_old) stacks_gone.unmap();
  }
  // For blocks of other shapes, where the system has no memory.
  void drop_all() {
    std::vector<Stacks> all;
    {
      std::lock_guard lock(kept_mutex);
      all.swap(kept_);
      bytes_ = 0;
    }
    for (Stacks& stacks : all) stacks.unmap();
  }
  size_t bytes() const {
    std::lock_guard lock(kept_mutex);
    return bytes_;
  }

 private:
  std::vector<Stacks> kept_;
  size_t bytes_ = 0;
};

namespace {

StacksKept& kept() {
  static StacksKept* const made = new StacksKept;  // outlives every thread
  return *made;
}
[[maybe_unused]] StacksKept& made_at_load = kept();

}  // namespace

Stacks Stacks::take(const Shape& shape) {
  if (Stacks found = kept().take(shape)) return found;
  if (Stacks made = map(shape)) return made;
  kept().drop_all();
  return map(shape);
}

void Stacks::give_back() {
  if (memory_) kept().give(*this);
  unmap();
}

size_t expected_bytes(const Stacks::Shape& shape) {
  const size_t stack = round_to_page(shape.frame + kColours * kColour);
  return round_to_page(shape.arrays) + shape.threads * stack;
}

size_t kept_bytes() { return kept().bytes(); }

}  // namespace cuda_device::runtime::fibres
