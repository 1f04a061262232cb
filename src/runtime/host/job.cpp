#include "runtime/host/job.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <limits>
#include <new>

#include "runtime/host/interruptible.h"
#include "runtime/host/spin.h"
#include "support/fork.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace cuda_device::runtime {
namespace {

// Sleeping on a word, with a limit: std::atomic's wait has none.
long futex(const std::atomic<uint32_t>& word, int operation, uint32_t value,
           const timespec* limit) {
  static_assert(sizeof word == 4 && std::atomic<uint32_t>::is_always_lock_free);
  return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, limit, nullptr, 0);
}

// Returns when woken, when the word is not `expected`, at the limit (negative: none), or for no
// reason.
void sleep_while(const std::atomic<uint32_t>& word, uint32_t expected,
                 std::chrono::milliseconds limit) {
  const int64_t ms = limit.count();
  const timespec time{ms / 1000, ms % 1000 * 1000000};
  futex(word, FUTEX_WAIT, expected, ms < 0 ? nullptr : &time);
}

void wake_all(const std::atomic<uint32_t>& word) { futex(word, FUTEX_WAKE, INT_MAX, nullptr); }

// Kernels run with round-to-nearest, no trap, denormals kept, whatever the calling thread has set.
class FloatState {
 public:
#if defined(__x86_64__)
  FloatState() : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~FloatState() { _mm_setcsr(saved_); }

 private:
  unsigned saved_;
#endif
};

// Worker memory, kept between launches: grows, never shrinks while the thread lives.
class Arena {
 public:
  ~Arena() { std::free(memory_); }
  void* at_least(size_t bytes) {
    if (bytes <= size_) return memory_;
    std::free(memory_);
    size_ = 0;
    const size_t rounded = (bytes + 4095) / 4096 * 4096;
    memory_ = std::aligned_alloc(abi::kArenaAlign, rounded);
    if (!memory_) throw std::bad_alloc();
    size_ = rounded;
    return memory_;
  }

 private:
  void* memory_ = nullptr;
  size_t size_ = 0;
};
thread_local Arena arena;

uint64_t block_count(const abi::LaunchDims& d) {
  return uint64_t{d.grid[0]} * d.grid[1] * d.grid[2];
}

// Ticks of some milliseconds, read in a few nanoseconds.
int64_t coarse_now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * int64_t{1000000000} + now.tv_nsec;
}

constexpr int64_t kPeriod = std::chrono::nanoseconds(Interrupt::kPeriod).count();
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// How many blocks a thread runs before it looks at the clock: one at first, since it is not known
// how long it takes, then four times as many as long as that takes no time. So it looks up every
// twenty milliseconds or so, and a short job looks only a few times.
class Pace {
 public:
  Pace(uint64_t most_at_once, int64_t now) : most_(most_at_once), before_(now) {}
  uint64_t chunk() const { return std::min(blocks_, most_); }
  bool time_to_look(uint64_t ran) { return (since_ += ran) >= blocks_; }
  void looked(int64_t now) {
    if (now - before_ < 5000000)
      blocks_ *= 4;
    else if (now - before_ > 20000000)
      blocks_ = std::max<uint64_t>(1, blocks_ / 2);
    since_ = 0;
    before_ = now;
  }

 private:
  uint64_t most_, blocks_ = 1, since_ = 0;
  int64_t before_;
};

}  // namespace

Job::Job(abi::HostEntry entry, const void* params, const abi::LaunchDims& dims,
         uint32_t arena_bytes)
    : entry_(entry), params_(params), arena_bytes_(arena_bytes), blocks_(block_count(dims)) {
  context_.dims = dims;
}

void Job::provide_memory(abi::HostContext& context) const {
  const size_t own = arena_bytes_, shared = context.dims.shared;
  if (own + shared == 0) return;
  context.arena = arena.at_least(own + 64 + shared);
  context.shared = static_cast<char*>(context.arena) + (own + 63) / 64 * 64;
}

// Until nothing is left to claim, or the time has come.
Job::Left Job::run_chunks(int64_t now, int64_t until, Interrupt* interrupt) {
  if (!anything_left()) return Left::Nothing;
  FloatState state;
  abi::HostContext context = context_;
  provide_memory(context);  // before the first claim: a chunk that is claimed will run
  Pace pace(max_chunk_, now);
  for (;;) {
    const uint64_t claimed = pace.chunk();
    const uint64_t first = next_.fetch_add(claimed, std::memory_order_relaxed);
    if (first >= blocks_) return Left::Nothing;
    run_chunk(context, first, std::min(first + claimed, blocks_), interrupt);
    if (!pace.time_to_look(claimed)) continue;
    if (!anything_left()) return Left::Nothing;
    now = coarse_now();
    if (now >= until) return Left::More;
    pace.looked(now);
  }
}

void Job::run_chunk(abi::HostContext& context, uint64_t first, uint64_t last,
                    Interrupt* interrupt) {
  if (will_ask_) {
    struct Asked {
      Job& job;
      Interrupt* const interrupt;  // of the thread that launched
      const unsigned forks = fork_count();
    } asked{*this, interrupt};
    const auto leave = [](void* of) {
      const Asked& asked = *static_cast<Asked*>(of);
      if (asked.interrupt && asked.interrupt->asked()) asked.job.give_up();
      return asked.job.given_up_ || fork_count() != asked.forks;
    };
    Interruptible code(leave, &asked);
    code.run([&] { run_blocks(context, first, last); });
  } else {
    run_blocks(context, first, last);
  }
  if (report_ && report_->failed()) stop();
  count(last - first);
}

// Compiled code throws nothing; what else stands behind an entry may.
void Job::run_blocks(const abi::HostContext& context, uint64_t first, uint64_t last) {
  try {
    entry_(params_, &context, first, last);
  } catch (const std::exception& e) {
    fail(e.what());
  }
}

void Job::count(uint64_t blocks) {
  if (done_.fetch_add(blocks, std::memory_order_acq_rel) + blocks != blocks_) return;
  if (over_.exchange(kOver, std::memory_order_acq_rel) == kAwaited) wake_all(over_);
}

void Job::stop() {
  const uint64_t first = next_.exchange(blocks_, std::memory_order_relaxed);
  if (first < blocks_) count(blocks_ - first);
}

void Job::give_up() {
  given_up_ = true;
  stop();
}

void Job::fail(std::string text) {
  {
    std::lock_guard lock(mutex_);
    if (error_.empty()) error_ = std::move(text);
  }
  stop();
}

// A helper without memory leaves the work to the others.
void Job::help() noexcept {
  try {
    run_chunks(coarse_now(), kNever, nullptr);
  } catch (const std::bad_alloc&) {
  }
}

Job::Left Job::run_until_question(Interrupt* interrupt) {
  const int64_t now = blocks_ > 1 ? coarse_now() : 0;
  const bool ask = interrupt && !interrupt->happened();
  return run_chunks(now, ask ? now + kPeriod : kNever, interrupt);
}

std::string Job::finish(Interrupt* interrupt) {
  if (blocks_ == 0) return "";
  const unsigned forks = fork_count();
  try {
    while (run_until_question(interrupt) == Left::More) {
      if (interrupt->asked()) give_up();
      if (fork_count() != forks) return kForkedMeanwhile;
    }
  } catch (const std::bad_alloc&) {
    fail("out of memory: a block needs " +
         std::to_string(size_t{arena_bytes_} + context_.dims.shared) + " bytes of working memory");
  }
  wait_for_others(interrupt, forks);
  if (fork_count() != forks) return kForkedMeanwhile;
  return std::move(error_);  // no lock: its writer does so before its blocks are counted
}

void Job::wait_for_others(Interrupt* interrupt, unsigned forks) {
  for (int spin = 0; spin < 2000; ++spin) {
    if (over()) return;
    relax();
  }
  while (fork_count() == forks) {
    const bool ask = interrupt && !interrupt->happened();
    uint32_t expected = kRunning;
    over_.compare_exchange_strong(expected, kAwaited, std::memory_order_acq_rel);
    if (expected == kOver) return;
    sleep_while(over_, kAwaited, ask ? Interrupt::kPeriod : std::chrono::milliseconds(-1));
    if (over()) return;
    if (ask && interrupt->asked()) give_up();
  }
}

}  // namespace cuda_device::runtime
