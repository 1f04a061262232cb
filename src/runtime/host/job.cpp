#include "runtime/host/job.h"

#include <time.h>

#include <algorithm>
#include <limits>
#include <new>

#include "runtime/host/activity.h"
#include "runtime/host/fibres/run.h"
#include "runtime/host/float_state.h"
#include "runtime/host/interruptible.h"
#include "runtime/host/kept_memory.h"
#include "runtime/host/spin.h"
#include "support/fork.h"

namespace cuda_device::runtime {
namespace {

// For a block: abi::HostContext::arena and shared.
thread_local KeptMemory kept_arena;

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

Job::Job(const fibres::Kernel& kernel, const void* params, const abi::LaunchDims& dims,
         Report& report)
    : Job(nullptr, params, dims, kernel.arrays) {
  report_to(report);
  threads_ = std::make_unique<fibres::Launch>(kernel, params, context_, report, blocks_);
}

// What one thread does of a job in one go. Blocks that it has run are counted at once, or, where
// it has tables, when these are merged: then what they have done is in the arrays.
class Job::Share {
 public:
  explicit Share(Job& job) : blocks_(job.blocks_), tables_(job.tables_) {}
  // A forked child has a copy of the tables, of which the arrays may lie in memory that it shares
  // with its parent.
  ~Share() {
    if (uncounted_ == 0) return;
    if (fork_count() == forks_) tables_.merge();
    blocks_.done(uncounted_);
  }
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  void* const* tables() const { return tables_.pointers(); }
  void ran(uint64_t blocks) {
    if (tables_)
      uncounted_ += blocks;
    else
      blocks_.done(blocks);
  }

 private:
  Blocks& blocks_;
  WorkerTables tables_;
  uint64_t uncounted_ = 0;
  const unsigned forks_ = fork_count();
};

// Those of an arena, followed by those of a block's dynamic shared memory.
size_t Job::bytes_of_a_block() const {
  const size_t own = arena_bytes_, shared = context_.dims.shared;
  return own + shared == 0 ? 0 : own + 64 + shared;
}

// Until nothing is left to claim, or the time has come.
Job::Left Job::run_chunks(int64_t now, int64_t until, Interrupt* interrupt) {
  if (!blocks_.anything_left()) return Left::Nothing;
  const FloatState state(flush_subnormals_);
  abi::HostContext context = context_;
  // Before the first claim: a chunk that is claimed will run.
  const TakenMemory memory(kept_arena, bytes_of_a_block());
  context.arena = memory.get();
  if (memory.get()) context.shared = memory.get() + (size_t{arena_bytes_} + 63) / 64 * 64;
  Share share(*this);
  context.tables = share.tables();
  Pace pace(max_chunk_, now);
  for (;;) {
    const uint64_t claimed = pace.chunk();
    const uint64_t first = blocks_.claim(claimed);
    if (first >= blocks_.count()) return Left::Nothing;
    const uint64_t last = std::min(first + claimed, blocks_.count());
    run_chunk(context, first, last, interrupt);
    share.ran(last - first);
    if (!pace.time_to_look(claimed)) continue;
    if (!blocks_.anything_left()) return Left::Nothing;
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
      if (asked.interrupt && asked.interrupt->asked()) asked.job.blocks_.give_up();
      return asked.job.blocks_.given_up() || fork_count() != asked.forks;
    };
    Interruptible code(leave, &asked);
    code.run([&] { run_blocks(context, first, last); });
  } else {
    run_blocks(context, first, last);
  }
  if (report_ && report_->failed()) blocks_.stop();
}

// Compiled code throws nothing; what else an entry calls may.
void Job::run_blocks(const abi::HostContext& context, uint64_t first, uint64_t last) {
  try {
    entry_(params_, &context, first, last);
  } catch (const std::exception& e) {
    fail(e.what());
  }
}

void Job::fail(std::string text) {
  {
    std::lock_guard lock(mutex_);
    if (error_.empty()) error_ = std::move(text);
  }
  blocks_.stop();
}

// A helper without memory leaves the work to the others.
void Job::help() noexcept {
  if (threads_) {
    fibres::run(*threads_, will_ask_, nullptr);
    return;
  }
  try {
    run_chunks(coarse_now(), kNever, nullptr);
  } catch (const std::bad_alloc&) {
  }
}

Job::Left Job::run_until_question(Interrupt* interrupt) {
  const int64_t now = blocks_.count() > 1 ? coarse_now() : 0;
  const bool ask = interrupt && !interrupt->happened();
  return run_chunks(now, ask ? now + kPeriod : kNever, interrupt);
}

std::string Job::finish(Interrupt* interrupt) {
  if (blocks_.count() == 0) return "";
  if (threads_) return finish_threads(interrupt);
  const unsigned forks = fork_count();
  try {
    while (run_until_question(interrupt) == Left::More) {
      if (interrupt->asked()) blocks_.give_up();
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

std::string Job::finish_threads(Interrupt* interrupt) {
  const unsigned forks = fork_count();
  if (!fibres::run(*threads_, will_ask_, interrupt)) threads_->fail(threads_->no_memory_text());
  if (fork_count() == forks) wait_for_others(interrupt, forks);
  return fork_count() == forks ? threads_->finish() : kForkedMeanwhile;
}

namespace {

bool wait_for(Blocks& blocks, std::chrono::milliseconds limit) {
  const ActivityScope waits(Activity::Waits);
  return blocks.sleep(limit);
}

}  // namespace

void Job::wait_for_others(Interrupt* interrupt, unsigned forks) {
  for (int spin = 0; spin < 2000; ++spin) {
    if (blocks_.over()) return;
    relax();
  }
  while (fork_count() == forks) {
    const bool ask = interrupt && !interrupt->happened();
    if (wait_for(blocks_, ask ? Interrupt::kPeriod : std::chrono::milliseconds(-1))) return;
    if (ask && interrupt->asked()) blocks_.give_up();
  }
}

}  // namespace cuda_device::runtime
