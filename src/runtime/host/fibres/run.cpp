#include "runtime/host/fibres/run.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/host/activity.h"
#include "runtime/host/fibres/clock.h"
#include "runtime/host/fibres/watch.h"
#include "runtime/host/float_state.h"
#include "runtime/host/interruptible.h"
#include "runtime/host/pool.h"
#include "runtime/host/spin.h"
#include "support/fork.h"

namespace cuda_device::runtime::fibres {
namespace {

using Progress = Block::Progress;

// All times in ns.
constexpr int64_t kPeriod = std::chrono::nanoseconds(Interrupt::kPeriod).count();
constexpr int64_t kOthers = 20'000;           // other workers may soon let this one's threads go on
constexpr int64_t kTurning = 100'000;         // threads in turns may soon be through
constexpr int64_t kLongestStart = 1'000'000;  // of blocks that end, while others wait
constexpr int64_t kLongestSleep = 1'000'000;
constexpr int64_t kLongestWatched = kPeriod;  // where another worker looks meanwhile
constexpr int64_t kGivesWay = 1'000'000;      // nobody has advanced for so long
constexpr int64_t kPolls = 100'000'000;       // all have been in turns for so long
constexpr int kRoundsInTurns = 16;

// One thread of the machine at work on a launch.
class Worker : Sleeper {
 public:
  Worker(Launch& launch, Interrupt* interrupt)
      : launch_(launch), interrupt_(interrupt), forks_(fork_count()) {
    adopt(carrier_.own);
  }
  ~Worker() override;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void loop() noexcept;
  bool had_memory() const { return had_memory_; }
  // Asked by a timer's signal, on top of a fibre or of this worker itself.
  static bool asked(void* worker);

 private:
  using Started = std::unique_ptr<Block>;
  struct Waiting {
    Started block;
    Word word;  // nothing changes before this does; none: it may
  };
  // A look at all started blocks, each of which has run until it could not, or should not, go on.
  struct Look {
    int64_t begin, end;
    Progress best;  // Still, Turning or Working
  };

  Look look_at_all();
  void look_at(Waiting& waiting, Look& look);
  Progress run(Block& block);
  Progress round(Block& block);
  Progress finish(Block& block, Progress how);
  void ended(Started block);
  bool start_another();
  Started next_block();
  bool start_more(const Look& look);
  bool wants_another(const Look& look) const;
  void advanced(const Look& look, bool started);
  void rest(const Look& look, bool looked_for_more);
  void sleep(int64_t still);
  bool awaits_words() const;
  bool may_go_on() const override;
  void give_way(Activity how, int64_t now);
  void report_standing(Block& block);
  bool question();
  bool leave_at_once() const { return left_ || launch_.blocks.given_up(); }
  bool forked() const { return fork_count() != forks_; }

  Launch& launch_;
  Interrupt* const interrupt_;
  const unsigned forks_;
  Carrier carrier_;
  std::optional<Standing::Worker> standing_{std::in_place, launch_.standing};
  std::vector<Waiting> started_;  // in increasing order
  bool backward_ = false;         // the next look
  Started spare_;
  bool had_memory_ = true;
  bool left_ = false;
  std::atomic<bool> pending_{false};  // a question that came where it could not be put
  int64_t still_since_ = 0;           // the end of the first look in a row that saw nobody advance
  int64_t turning_since_ = 0;         // the same of looks that saw nobody do more than take turns
  std::optional<ActivityScope> gives_way_;  // others have the thread's place in the pool
  int64_t asked_for_stand_in_ = 0;
  int64_t last_start_ = 0, last_question_ = 0;
};

// In a forked child nothing is touched that other threads of the parent may have held.
Worker::~Worker() {
  const bool in_child = forked();
  for (size_t i = 0; i < started_.size() && !in_child; ++i) {
    launch_.count_ended();
    launch_.blocks.done(1);
  }
  if (in_child) new (&standing_) std::optional<Standing::Worker>;
}

// --- questions ---

bool Worker::asked(void* of) {
  Worker& self = *static_cast<Worker*>(of);
  Carrier& carrier = self.carrier_;
  if (!carrier.in_code.load(std::memory_order_relaxed)) {
    self.pending_.store(true, std::memory_order_relaxed);
    return false;
  }
  if (!self.interrupt_ && !self.leave_at_once() && !self.forked()) return false;
  // The worker answers, on the thread's own stack: what it asks may be a whole program. Where the
  // answer is to leave, nobody comes back here.
  carrier.in_code.store(false, std::memory_order_relaxed);
  carrier.left = Carrier::Left::Asked;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  switch_to(carrier.running->context, carrier.own);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  carrier.in_code.store(true, std::memory_order_relaxed);
  return false;
}

// Whether to leave at once.
bool Worker::question() {
  pending_.store(false, std::memory_order_relaxed);
  if (interrupt_) {
    const NotInterruptible scope;  // of this launch; what the question launches may be
    const ActivityScope works(Activity::Works);
    last_question_ = now();
    if (interrupt_->asked()) launch_.blocks.give_up();
  }
  left_ = left_ || forked();
  return leave_at_once();
}

// --- blocks ---

Progress Worker::round(Block& block) {
  if (gives_way_) activity_of_this_thread().looks_since = now();
  Progress progress = block.round();
  while (progress == Progress::Asked && !question()) progress = block.go_on();
  if (gives_way_) activity_of_this_thread().looks_since = 0;
  return progress;
}

// Still or Turning where it gives way to the next: Still where no round before that saw a thread
// advance. Ended; Asked where the worker is to leave.
Progress Worker::run(Block& block) {
  Progress best = Progress::Still;
  uint32_t still = 0;
  for (int turning = 0;;) {
    const Progress progress = round(block);
    switch (progress) {
      case Progress::Working:
        turning = 0;
        best = Progress::Turning;
        break;
      case Progress::Turning:
        if (++turning == kRoundsInTurns) return progress;
        best = Progress::Turning;
        break;
      case Progress::Still:
        if (best != Progress::Still || ++still >= block.rounds_of_a_wait()) return best;
        break;
      default:
        return finish(block, progress);
    }
    if (pending_.load(std::memory_order_relaxed) && question()) return Progress::Asked;
    if (leave_at_once()) return Progress::Asked;
  }
}

Progress Worker::finish(Block& block, Progress how) {
  switch (how) {
    case Progress::Failed:
      if (carrier_.error.empty())
        launch_.stop();
      else
        launch_.fail(std::exchange(carrier_.error, {}));
      return Progress::Ended;
    case Progress::Stuck:  // whatever other blocks do
      report_standing(block);
      launch_.stop();
      return Progress::Ended;
    case Progress::Ended:
      if (launch_.report.failed()) launch_.stop();
      return Progress::Ended;
    default:
      return how;
  }
}

void Worker::report_standing(Block& block) {
  block.standing([&](uint32_t site, const abi::HostThread& thread) {
    launch_.add_standing(site, block.number(), thread);
  });
}

void Worker::ended(Started block) {
  spare_ = std::move(block);
  launch_.count_ended();
  launch_.blocks.done(1);
}

// Null: no memory.
Worker::Started Worker::next_block() {
  if (!started_.empty() && !launch_.room_for_another()) return nullptr;
  try {
    if (started_.size() == started_.capacity())
      started_.reserve(2 * started_.size() + 8);  // not by one: all are moved each time
    if (spare_) return std::move(spare_);
    Stacks stacks = Stacks::take(launch_.shape);
    if (!stacks) return nullptr;
    return std::make_unique<Block>(carrier_, launch_.kernel, launch_.params, launch_.context,
                                   std::move(stacks));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Memory comes first: a block that is claimed will run. False: none is left, or memory.
bool Worker::start_another() {
  if (!launch_.blocks.anything_left()) return false;
  Started block = next_block();
  if (!block) {
    had_memory_ = !started_.empty();
    return false;
  }
  const uint64_t number = launch_.blocks.claim(1);
  if (number >= launch_.blocks.count()) {
    spare_ = std::move(block);
    return false;
  }
  launch_.count_started();
  block->begin(number);
  if (run(*block) == Progress::Ended) {
    ended(std::move(block));
  } else {
    const Word word = block->awaited();
    started_.push_back({std::move(block), word});
  }
  return true;
}

// --- the worker's loop ---

// Forward and backward by turns: so a chain of blocks, each of which waits for the next one or for
// the one before, ends within two looks.
Worker::Look Worker::look_at_all() {
  if (started_.empty()) return {0, 0, Progress::Still};
  Look look{now(), 0, Progress::Still};
  const size_t count = started_.size();
  for (size_t i = 0; i < count && !leave_at_once(); ++i)
    look_at(started_[backward_ ? count - 1 - i : i], look);
  backward_ = !backward_;
  std::erase_if(started_, [](const Waiting& waiting) { return !waiting.block; });
  look.end = now();
  return look;
}

// Leaves a null where the block has ended.
void Worker::look_at(Waiting& waiting, Look& look) {
  if (waiting.word && !waiting.word.changed() && !launch_.stopped()) return;
  Started& block = waiting.block;
  Progress progress = launch_.deadlocked() ? Progress::Still : run(*block);
  if (progress == Progress::Ended) {
    look.best = Progress::Working;
  } else if (launch_.stopped() && progress != Progress::Asked) {
    // Asked again: another worker may have found the deadlock while this block ran.
    if (launch_.deadlocked()) report_standing(*block);
    progress = Progress::Ended;
  } else if (progress == Progress::Turning && look.best == Progress::Still) {
    look.best = Progress::Turning;
  }
  if (progress == Progress::Ended)
    ended(std::move(block));
  else
    waiting.word = block->awaited();
}

bool Worker::wants_another(const Look& look) const {
  if (!launch_.blocks.anything_left()) return false;
  if (started_.empty()) return true;
  if (look.best == Progress::Still)
    return launch_.standing.alone() || (still_since_ != 0 && look.end - still_since_ >= kOthers);
  if (look.best == Progress::Turning)
    return look.end - last_start_ >= kTurning * static_cast<int64_t>(1 + started_.size() / 64);
  return false;
}

// New blocks alone, as many as there are: so the looks at all take together a time that grows as
// the number of blocks does, and not as its square. Those that end at once may be many, and long.
bool Worker::start_more(const Look& look) {
  const int64_t longest = std::max(look.end - look.begin, kLongestStart);
  bool any = false;
  for (size_t more = std::max<size_t>(1, started_.size()); more > 0; --more) {
    const size_t before = started_.size();
    if (leave_at_once() || !start_another()) break;
    any = true;
    last_start_ = now();
    if (started_.size() == before && last_start_ - look.end >= longest) break;
  }
  return any;
}

// Somebody advanced, if only from one turn to the next.
void Worker::advanced(const Look& look, bool started) {
  standing_->advanced();
  still_since_ = 0;
  const bool turning = !started && look.best == Progress::Turning;
  if (turning && turning_since_ == 0) turning_since_ = look.end;
  if (!turning) turning_since_ = 0;
  if (gives_way_ && gives_way_->activity() == Activity::Waits) count_advance();
  if (turning && look.end - turning_since_ >= kPolls)
    give_way(Activity::Polls, look.end);
  else
    gives_way_.reset();
}

// What is queued gets a thread in the place of this one, which looks on.
void Worker::give_way(Activity how, int64_t now) {
  if (gives_way_ && gives_way_->activity() != how) gives_way_.reset();
  if (!gives_way_) gives_way_.emplace(how);
  if (now - asked_for_stand_in_ < kGivesWay) return;
  asked_for_stand_in_ = now;
  if (WorkerPool* const workers = pool_if_made()) workers->stand_in();
}

// Nobody advanced. `looked_for_more`: and no further block could begin.
void Worker::rest(const Look& look, bool looked_for_more) {
  if (still_since_ == 0) still_since_ = look.end;
  const int64_t still = look.end - still_since_;
  if (still >= kGivesWay) give_way(Activity::Waits, look.end);
  if (looked_for_more || !launch_.blocks.anything_left()) {
    if (carrier_.host_may_change) launch_.host_may_change();
    standing_->stood_still(look.begin, look.end);
    if (still >= kGivesWay && launch_.is_deadlock(look.end)) return launch_.deadlock();
  }
  if (interrupt_ && look.end - last_question_ >= kPeriod && question()) return;
  if (still < kOthers)
    for (int i = 0; i < 32; ++i) relax();
  else
    sleep(still);
}

void Worker::sleep(int64_t still) {
  const int64_t step = std::min(still / 4, kLongestSleep);
  if (step < kLongestSleep || !awaits_words()) return sleep_for(step);
  const int64_t to_question = last_question_ + kPeriod - now();
  watch().sleep(*this, interrupt_ ? std::max(to_question, kLongestSleep) : kLongestWatched);
}

// Whether a look at its blocks is one at a word of each, and no other one may begin.
bool Worker::awaits_words() const {
  return !launch_.blocks.anything_left() &&
         std::ranges::all_of(started_, [](const Waiting& one) { return bool(one.word); });
}

bool Worker::may_go_on() const {
  if (launch_.stopped() || launch_.blocks.given_up()) return true;
  return std::ranges::any_of(started_, [](const Waiting& one) { return one.word.changed(); });
}

void Worker::loop() noexcept {
  if (interrupt_) last_question_ = now();
  while (!leave_at_once()) {
    if (pending_.load(std::memory_order_relaxed) && question()) return;
    const Look look = look_at_all();
    if (leave_at_once()) return;
    const bool wants = wants_another(look);
    const bool any = wants && start_more(look);
    if (any || look.best != Progress::Still) {
      advanced(look, any);
    } else if (started_.empty()) {
      return;
    } else {
      rest(look, wants);
    }
  }
}

}  // namespace

bool run(Launch& launch, bool asks, Interrupt* interrupt) noexcept {
  const FloatState state(launch.kernel.flush_subnormals);
  Worker worker(launch, interrupt);
  if (!asks) {
    worker.loop();
  } else {
    Interruptible code(Worker::asked, &worker);
    code.run([&] { worker.loop(); });
  }
  return worker.had_memory();
}

}  // namespace cuda_device::runtime::fibres
