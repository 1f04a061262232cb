#include "runtime/host/fibres/launch.h"

#include <algorithm>
#include <new>
#include <utility>

#include "runtime/memory/pages.h"

namespace cuda_device::runtime::fibres {
namespace {

// All times in ns. Nothing of this process has moved for so long: a deadlock, which is to be told
// within two seconds. Nearly all of that is the host's where it may write what threads wait for.
constexpr int64_t kDeadlock = 1'000'000'000;
constexpr int64_t kHostsTime = 1'800'000'000;
constexpr int64_t kLookAround = 20'000'000;

}  // namespace

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

// What worked when this was called before may have changed memory since.
void Launch::look_around(int64_t now) {
  const WorkSeen seen = work_seen();
  if (seen.going_on || others_.going_on || seen.so_far != others_.so_far) others_worked_ = now;
  others_ = seen;
  looked_around_ = now;
}

bool Launch::alone_for_long() const {
  const int64_t limit = host_may_change_.load(std::memory_order_relaxed) ? kHostsTime : kDeadlock;
  return standing.how_long(others_worked_) >= limit;
}

bool Launch::is_deadlock(int64_t now) {
  std::lock_guard lock(mutex_);
  if (now - looked_around_ >= kLookAround) look_around(now);
  if (!alone_for_long()) return false;
  look_around(now);
  return alone_for_long();
}

void Launch::add_standing(uint32_t site, uint64_t block, const abi::HostThread& thread) {
  std::lock_guard lock(mutex_);
  try {
    StandingThreads& place = places_[site];
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
  std::ranges::sort(deadlock.places,
                    [](const Deadlock::StandingThreads& a, const Deadlock::StandingThreads& b) {
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
