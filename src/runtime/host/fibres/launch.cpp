#include "runtime/host/fibres/launch.h"

#include <algorithm>
#include <new>
#include <utility>

#include "runtime/memory/pages.h"

namespace cuda_device::runtime::fibres {

Launch::Launch(const Kernel& k, const void* parameters, const abi::HostContext& c, Report& r,
               Blocks& b)
    : kernel(k),
      params(parameters),
      context(c),
      shape(Block::shape(k, c.dims)),
      report(r),
      blocks(b) {}

// A quarter of what there is: other launches may want the same, and the program has plans too.
bool Launch::room_for_another() {
  uint64_t room = room_.load(std::memory_order_relaxed);
  if (room == 0) {
    const uint64_t fit = free_bytes() / 4 / std::max<uint64_t>(1, expected_bytes(shape));
    room = std::max<uint64_t>(1, fit);
    room_.store(room, std::memory_order_relaxed);
  }
  return started_.load(std::memory_order_relaxed) < room;
}

void Launch::stop() {
  stopped_.store(true, std::memory_order_release);
  blocks.stop();
}

void Launch::fail(std::string error) {
  {
    std::lock_guard lock(mutex_);
    if (error_.empty()) error_ = std::move(error);
  }
  stop();
}

void Launch::deadlock() {
  const uint64_t left_out = blocks.stop();
  std::lock_guard lock(mutex_);
  not_started_ += left_out;
  deadlocked_.store(true, std::memory_order_release);
  stopped_.store(true, std::memory_order_release);
}

void Launch::add_standing(uint32_t site, uint64_t block, const abi::HostThread& thread) {
  std::lock_guard lock(mutex_);
  try {
    Place& place = places_[site];
    const bool first = place.threads++ == 0 || block < place.block;
    if (!first) return;
    place.block = block;
    place.block_index = thread.block;
    place.thread_index = thread.thread;
  } catch (const std::bad_alloc&) {  // then the message has a place less
  }
}

Deadlock Launch::take_deadlock() {
  Deadlock deadlock;
  for (const auto& [site, place] : places_)
    deadlock.places.push_back({site, place.threads, place.block_index, place.thread_index});
  std::ranges::sort(deadlock.places, [](const Deadlock::Place& a, const Deadlock::Place& b) {
    return a.threads != b.threads ? a.threads > b.threads : a.site < b.site;
  });
  deadlock.not_started = not_started_;
  return deadlock;
}

std::string Launch::finish() {
  std::lock_guard lock(mutex_);
  if (!places_.empty()) report.deadlock(take_deadlock());
  return std::move(error_);
}

std::string Launch::no_memory_text() const {
  const uint64_t arrays = shape.arrays;
  return "out of memory: a block needs stacks for " + std::to_string(shape.threads) +
         " threads, of " + std::to_string(shape.frame) + " bytes each and more, and " +
         std::to_string(arrays) + " bytes of working memory";
}

}  // namespace cuda_device::runtime::fibres
