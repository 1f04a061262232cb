#include "runtime/memory/host_pool.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "runtime/host/stream.h"
#include "support/byte_count.h"

namespace cuda_device::runtime {
namespace {

// The lock of all pools: held for a few steps, never while the system or a stream is asked.
ForkMutex pool_mutex;

uint64_t most_kept() {
  constexpr uint64_t kGibibyte = uint64_t{1} << 30;
  const char* wish = std::getenv("CUDA_DEVICE_POOL_SIZE");
  const std::optional<uint64_t> bytes = wish ? byte_count(wish) : std::nullopt;
  return bytes ? *bytes : std::min(kGibibyte, total_bytes() / 8);
}

// Made when the library is loaded, since a fork may come at any time.
HostPool* const the_pool = new HostPool(most_kept());

}  // namespace

uint64_t size_class(uint64_t bytes) {
  const uint64_t step = std::max(kMemoryAlign, std::bit_floor(bytes) / 8);
  return (bytes + step - 1) / step * step;
}

HostPool& host_pool() { return *the_pool; }

HostPool::HostPool(uint64_t most_kept, System system)
    : most_kept_(most_kept), system_(std::move(system)) {}

HostPool::~HostPool() { trim(0); }

HostPool::Block HostPool::allocate(uint64_t bytes, const Streamed& stream) {
  if (bytes > kMostBytes) return {};
  const uint64_t size = size_class(bytes);
  if (void* memory = reuse(size, stream.get())) return {memory, false};
  void* memory = system_.take(size);
  if (!memory && trim(0) > 0) memory = system_.take(size);
  return {memory, memory && size >= kOwnPages};
}

// The one freed last: it may still lie in a cache.
void* HostPool::reuse(uint64_t bytes, const HostStream* stream) {
  std::lock_guard lock(pool_mutex);
  if (stream && !waiting_.empty()) {
    auto at = waiting_.lower_bound({stream, bytes + 1, 0});
    if (at != waiting_.begin() && std::get<0>((--at)->first) == stream &&
        std::get<1>(at->first) == bytes) {
      void* const memory = at->second;
      waiting_.erase(at);
      return memory;
    }
  }
  Kept* const last = alike_[index_of(bytes)].newest;
  if (last) unlink(last);
  return last;
}

void HostPool::release(void* memory, uint64_t bytes, const Streamed& stream) {
  const uint64_t size = size_class(bytes);
  if (stream && !stream->idle())
    release_in_order(memory, size, stream);
  else
    keep(memory, size);
}

void HostPool::release_in_order(void* memory, uint64_t bytes, const Streamed& stream) {
  Ticket ticket;
  bool noted = false;
  try {
    {
      std::lock_guard lock(pool_mutex);
      ticket = {stream.get(), bytes, ++tickets_};
      waiting_.emplace(ticket, memory);
      noted = true;
    }
    stream->enqueue([this, ticket] { passed(ticket); });
  } catch (const std::bad_alloc&) {  // not even that can be written down
    stream->wait(-1);
    noted ? passed(ticket) : keep(memory, bytes);
  }
}

// The stream has come after all that may have used the block; it may have taken it itself by then.
void HostPool::passed(const Ticket& ticket) {
  void* memory = nullptr;
  {
    std::lock_guard lock(pool_mutex);
    const auto at = waiting_.find(ticket);
    if (at == waiting_.end()) return;
    memory = at->second;
    waiting_.erase(at);
  }
  keep(memory, std::get<1>(ticket));
}

void HostPool::keep(void* memory, uint64_t bytes) {
  if (bytes > most_kept_) return system_.give(memory, bytes);
  Kept* gone = nullptr;
  {
    std::lock_guard lock(pool_mutex);
    gone = take_oldest(most_kept_ - bytes);
    link(new (memory) Kept{bytes, all_.newest, nullptr, alike_[index_of(bytes)].newest, nullptr});
  }
  give(gone);
}

// 1 to 7 below 2 KiB, then eight for each power of two: as size_class rounds.
size_t HostPool::index_of(uint64_t size) {
  constexpr uint64_t kSmall = 8 * kMemoryAlign;
  if (size < kSmall) return size / kMemoryAlign;
  const int power = std::bit_width(size) - 1;
  return static_cast<size_t>(8 * (power - std::bit_width(kSmall) + 2)) + (size >> (power - 3) & 7);
}

void HostPool::link(Kept* block) {
  Ends& alike = alike_[index_of(block->bytes)];
  (block->older ? block->older->newer : all_.oldest) = block;
  (block->older_alike ? block->older_alike->newer_alike : alike.oldest) = block;
  all_.newest = alike.newest = block;
  kept_ += block->bytes;
}

void HostPool::unlink(Kept* block) {
  Ends& alike = alike_[index_of(block->bytes)];
  (block->older ? block->older->newer : all_.oldest) = block->newer;
  (block->newer ? block->newer->older : all_.newest) = block->older;
  (block->older_alike ? block->older_alike->newer_alike : alike.oldest) = block->newer_alike;
  (block->newer_alike ? block->newer_alike->older_alike : alike.newest) = block->older_alike;
  kept_ -= block->bytes;
}

// Linked by `newer`.
HostPool::Kept* HostPool::take_oldest(uint64_t most) {
  Kept *first = nullptr, *last = nullptr;
  while (kept_ > most) {
    Kept* const block = all_.oldest;
    unlink(block);
    (last ? last->newer : first) = block;
    block->newer = nullptr;
    last = block;
  }
  return first;
}

uint64_t HostPool::give(Kept* blocks) {
  uint64_t bytes = 0;
  while (blocks) {
    Kept* const next = blocks->newer;
    const uint64_t size = blocks->bytes;
    system_.give(blocks, size);
    bytes += size;
    blocks = next;
  }
  return bytes;
}

uint64_t HostPool::trim(uint64_t most) {
  Kept* gone = nullptr;
  {
    std::lock_guard lock(pool_mutex);
    gone = take_oldest(most);
  }
  return give(gone);
}

uint64_t HostPool::kept() const {
  std::lock_guard lock(pool_mutex);
  return kept_;
}

void HostPool::renew_in_child() {
  for (const auto& [ticket, memory] : std::exchange(waiting_, {}))
    keep(memory, std::get<1>(ticket));
}

}  // namespace cuda_device::runtime
