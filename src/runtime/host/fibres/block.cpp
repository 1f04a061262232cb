#include "runtime/host/fibres/block.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "support/check.h"

namespace cuda_device::runtime::fibres {
namespace {

// Threads that only take turns keep others of their warp from knowing the active lanes for so long.
constexpr uint32_t kMostAskingRounds = 1000;
// A loop within another comes back to the same states in each of the outer one's iterations, so
// lanes that will leave them seem to stand still from one turn of the outer loop to the next.
constexpr uint32_t kMostStillRounds = 64;

// Rounds of the longest wait that a look at a block follows: two laps of the longest cycle.
constexpr uint64_t kLongestWait = 1 + 2 * uint64_t{Cycle::kLongest};

// Most waits are over by then.
constexpr uint32_t kFewRounds = 64;

constexpr size_t kFibreBytes = (sizeof(Fibre) + 63) / 64 * 64;

uint32_t threads_of(const abi::LaunchDims& dims) {
  return dims.block[0] * dims.block[1] * dims.block[2];
}

std::array<uint32_t, 3> index_of(uint64_t number, const std::array<uint32_t, 3>& shape) {
  return {static_cast<uint32_t>(number % shape[0]),
          static_cast<uint32_t>(number / shape[0] % shape[1]),
          static_cast<uint32_t>(number / shape[0] / shape[1])};
}

uint32_t bit(const Fibre& fibre) { return uint32_t{1} << fibre.number % kLanes; }

uint64_t key_of(abi::ThreadMeeting kind, uint32_t mask) {
  return uint64_t{static_cast<uint32_t>(kind)} << 32 | mask;
}

uint32_t fibres_of(const Kernel& kernel, const abi::LaunchDims& dims) {
  return kernel.alone ? 1 : threads_of(dims);
}

size_t own_arrays(uint32_t bytes) { return (size_t{bytes} + 63) / 64 * 64; }

}  // namespace

static_assert(std::is_standard_layout_v<abi::HostThread>);

Stacks::Shape Block::shape(const Kernel& kernel, const abi::LaunchDims& dims) {
  return {fibres_of(kernel, dims), kernel.stack + kFibreBytes,
          own_arrays(kernel.arrays) + dims.shared};
}

namespace {

abi::HostContext with_arrays(abi::HostContext context, const Kernel& kernel, char* arrays) {
  if (kernel.arrays + size_t{context.dims.shared} == 0) return context;
  context.arena = arrays;
  context.shared = arrays + own_arrays(kernel.arrays);
  return context;
}

}  // namespace

Block::Block(Carrier& carrier, const Kernel& kernel, const void* params,
             const abi::HostContext& context, Stacks&& stacks)
    : carrier_(carrier),
      kernel_(kernel),
      params_(params),
      context_(with_arrays(context, kernel, stacks.arrays())),
      stacks_(std::move(stacks)),
      threads_(fibres_of(kernel, context.dims)),
      warps_((threads_ + kLanes - 1) / kLanes) {}

Block::~Block() { forget_fibres(); }

void Block::forget_fibres() {
  if (!std::exchange(begun_, false)) return;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  for (uint32_t i = 0; i < threads_; ++i) {
    const bool ended = !(warps_[i / kLanes].live >> i % kLanes & 1);
    forget(fibre(i).context, ended, stacks_.bottom(i), reinterpret_cast<char*>(&fibre(i)));
  }
#endif
}

Fibre& Block::fibre(uint32_t number) const {
  return *std::launder(reinterpret_cast<Fibre*>(stacks_.top(number) - kFibreBytes));
}

void Block::begin(uint64_t number) {
  forget_fibres();
  begun_ = true;
  number_ = number;
  live_ = threads_;
  came_ = trues_ = kinds_ = 0;
  cycles_.clear();
  rounds_in_turns_ = 0;
  advanced_ = true;
  for (Warp& warp : warps_) {
    warp.awaiting = warp.at_barrier = warp.meeting = warp.asking = warp.renewed = 0;
    warp.asking_rounds = warp.still_rounds = 0;
    warp.live = warp.ready = ~uint32_t{0};
  }
  if (const uint32_t last = threads_ % kLanes)
    warps_.back().live = warps_.back().ready = (uint32_t{1} << last) - 1;
  const std::array<uint32_t, 3> block = index_of(number, context_.dims.grid);
  for (uint32_t i = 0; i < threads_; ++i) {
    Fibre& f = *new (stacks_.top(i) - kFibreBytes) Fibre;
    f.self = {context_, block, index_of(i, context_.dims.block)};
    f.block = this;
    f.number = i;
    prepare(f.context, stacks_.bottom(i), reinterpret_cast<char*>(&f), body, &f);
  }
}

// --- rounds ---

Fibre* Block::next() {
  for (; warp_ < warps_.size(); ++warp_, rest_ = ~uint32_t{0}) {
    Warp& warp = warps_[warp_];
    while (const uint32_t can = warp.ready & rest_) {
      const auto lane = static_cast<uint32_t>(std::countr_zero(can));
      rest_ = ~uint32_t{1} << lane;
      const bool awaits = warp.awaiting >> lane & 1;
      if (!awaits || warp.word(lane).changed()) {
        warp.awaiting &= ~(uint32_t{1} << lane);
        return &fibre(warp_ * kLanes + lane);
      }
      turned_ = true;
    }
  }
  return nullptr;
}

// The fibre's turn is over; returns at the beginning of its next one.
void Block::leave(Fibre& fibre) {
  if (Fibre* const other = next()) {
    if (other == &fibre) return;
    carrier_.running = other;
    switch_to(fibre.context, other->context);
  } else {
    carrier_.left = Carrier::Left::RoundOver;
    switch_to(fibre.context, carrier_.own);
  }
}

Block::Progress Block::round() {
  warp_ = 0;
  rest_ = ~uint32_t{0};
  if (advanced_) longest_wait_ = 1;
  advanced_ = turned_ = false;
  for (Warp& warp : warps_) warp.advanced = false;
  Fibre* const first = next();
  if (!first && !turned_) return Progress::Stuck;
  if (!first) return after_round();
  carrier_.running = first;
  switch_to(carrier_.own, first->context);
  return after_switch();
}

Block::Progress Block::go_on() {
  switch_to(carrier_.own, carrier_.running->context);
  return after_switch();
}

Block::Progress Block::after_switch() {
  if (carrier_.left == Carrier::Left::Asked) return Progress::Asked;
  if (carrier_.left == Carrier::Left::Failed) return Progress::Failed;
  if (live_ == 0) return Progress::Ended;
  return after_round();
}

Block::Progress Block::after_round() {
  if (turned_ && cycles_.empty() && ++rounds_in_turns_ >= kFewRounds) look_for_cycles();
  bool asking = false;  // as an advance
  for (Warp& warp : warps_)
    if (warp.asking && !end_of_round(warp)) asking |= (warp.asking & warp.renewed) != 0;
  if (advanced_) return turned_ ? Progress::Turning : Progress::Working;
  return asking ? Progress::Turning : Progress::Still;
}

// Not on a thread's own stack, which is small.
void Block::look_for_cycles() {
  try {
    cycles_.resize(threads_);
  } catch (const std::bad_alloc&) {  // then those of few states are found
  }
}

// Lanes that take turns, and nothing but that, may be what the askers wait for, or wait for them.
// Whether the askers have their answer.
bool Block::end_of_round(Warp& warp) {
  warp.still_rounds = warp.advanced ? 0 : warp.still_rounds + 1;
  if (++warp.asking_rounds < kMostAskingRounds && warp.still_rounds < kMostStillRounds)
    return false;
  answer_askers(warp);
  return true;
}

void Block::standing(const OnStanding& use) {
  for (uint32_t i = 0; i < threads_; ++i)
    if (warps_[i / kLanes].live >> i % kLanes & 1) use(fibre(i).site, fibre(i).self);
}

// --- a fibre, from beginning to end ---

void Block::body(void* argument) {
  begun();
  Fibre& fibre = *static_cast<Fibre*>(argument);
  fibre.block->run(fibre);
  CD_UNREACHABLE("a thread ran on after its end");
}

// Compiled code throws nothing; what else an entry calls may.
void Block::run(Fibre& fibre) {
  try {
    carrier_.in_code = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    kernel_.entry(params_, &fibre.self);
    if (kernel_.alone) run_others(fibre);
  } catch (const std::exception& e) {
    carrier_.in_code = false;
    carrier_.error = e.what();
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  carrier_.in_code = false;
  if (!carrier_.error.empty()) fail();
  end(fibre);
}

void Block::run_others(Fibre& fibre) {
  const uint32_t count = threads_of(context_.dims);
  for (uint32_t i = 1; i < count; ++i) {
    fibre.self.thread = index_of(i, context_.dims.block);
    kernel_.entry(params_, &fibre.self);
  }
}

void Block::end(Fibre& fibre) {
  Warp& warp = warp_of(fibre);
  advanced(warp);
  --live_;
  warp.live &= ~bit(fibre);
  warp.ready &= ~bit(fibre);
  finish_barrier();
  finish_meetings(warp);
  nobody_ready(warp);
  Fibre* const other = next();
  carrier_.running = other;
  if (!other) carrier_.left = Carrier::Left::RoundOver;
  fibres::end(other ? other->context : carrier_.own);
}

void Block::fail() {
  carrier_.left = Carrier::Left::Failed;
  fibres::end(carrier_.own);
}

// --- where threads meet ---

// Coming to a place is an advance, but for a thread that goes round in a loop that waits: in an
// iteration that was none it comes to as many as before, and what it learns there is in the state
// of its next turn. Where it comes to more it is another iteration.
bool Block::meeting_advances(Fibre& fibre) {
  const uint32_t count = ++fibre.meetings;
  return !fibre.within_turns || !fibre.repeats || count > fibre.most_meetings;
}

// Lanes that have met go on.
void Block::went_on(Warp& warp, uint32_t lanes) {
  if (warp.renewed & lanes) advanced(warp);
  warp.renewed &= ~lanes;
}

// --- barriers ---

// Threads at barriers of different kinds never meet.
bool Block::finish_barrier() {
  if (came_ == 0 || came_ != live_ || !std::has_single_bit(kinds_)) return false;
  kinds_ = 0;
  passed_ = std::exchange(came_, 0);
  passed_trues_ = std::exchange(trues_, 0);
  for (Warp& warp : warps_) {
    const uint32_t lanes = std::exchange(warp.at_barrier, 0);
    warp.ready |= lanes;
    went_on(warp, lanes);
  }
  // They go on in the order of their numbers, in a new round, whichever came last.
  warp_ = static_cast<uint32_t>(warps_.size());
  return true;
}

int32_t Block::barrier(Fibre& fibre, uint32_t site, abi::ThreadBarrier kind, bool operand) {
  Warp& warp = warp_of(fibre);
  fibre.site = site;
  warp.ready &= ~bit(fibre);
  warp.at_barrier |= bit(fibre);
  ++came_;
  if (meeting_advances(fibre)) {
    advanced(warp);
    warp.renewed |= bit(fibre);
  }
  kinds_ |= uint32_t{1} << static_cast<uint32_t>(kind);
  trues_ += operand;
  if (!finish_barrier()) nobody_ready(warp);
  leave(fibre);
  switch (kind) {
    case abi::ThreadBarrier::Barrier:
      return 0;
    case abi::ThreadBarrier::Count:
      return static_cast<int32_t>(passed_trues_);
    case abi::ThreadBarrier::And:
      return passed_trues_ == passed_;
    case abi::ThreadBarrier::Or:
      return passed_trues_ != 0;
  }
  CD_UNREACHABLE("no barrier");
}

// --- meetings of a warp ---

// The lanes with this key, if they are all that it waits for.
bool Block::finish_meeting(Warp& warp, uint64_t key) {
  const uint32_t mask = static_cast<uint32_t>(key) & warp.live;
  if (mask == 0 || (mask & ~warp.meeting)) return false;
  bool all = true;
  for_each_lane(mask, [&](uint32_t lane) { all = all && warp.keys[lane] == key; });
  if (!all) return false;
  const auto kind = static_cast<abi::ThreadMeeting>(key >> 32);
  write_results({kind, mask, warp.values, warp.numbers}, warp.values);
  warp.meeting &= ~mask;
  warp.ready |= mask;
  rest_ = 0;  // they go on in the order of lanes, in the next round, whichever came last
  went_on(warp, mask);
  return true;
}

// A lane has left that others may have waited for.
void Block::finish_meetings(Warp& warp) {
  for_each_lane(warp.meeting, [&](uint32_t lane) {
    if (warp.meeting >> lane & 1) finish_meeting(warp, warp.keys[lane]);
  });
}

// Those at the place that comes first in the program: so the lanes that left a loop, or came from
// the other side of an if, are waited for.
void Block::answer_askers(Warp& warp) {
  uint32_t first = ~uint32_t{0}, lanes = 0;
  for_each_lane(warp.asking, [&](uint32_t lane) {
    const uint32_t site = warp.numbers[lane];
    if (site < first) lanes = 0;
    first = std::min(first, site);
    if (site == first) lanes |= uint32_t{1} << lane;
  });
  if (!lanes) return;
  write_results({abi::ThreadMeeting::ActiveMask, lanes, warp.values, warp.numbers}, warp.values);
  warp.asking &= ~lanes;
  warp.asking_rounds = warp.still_rounds = 0;
  warp.ready |= lanes;
  rest_ = 0;
  went_on(warp, lanes);
}

void Block::nobody_ready(Warp& warp) {
  if (warp.asking && !warp.ready) answer_askers(warp);
}

uint64_t Block::meet(Fibre& fibre, uint32_t site, abi::ThreadMeeting kind, uint32_t mask,
                     uint64_t value, uint32_t number) {
  Warp& warp = warp_of(fibre);
  const uint32_t lane = fibre.number % kLanes;
  const bool asks = kind == abi::ThreadMeeting::ActiveMask;
  fibre.site = site;
  warp.ready &= ~bit(fibre);
  (asks ? warp.asking : warp.meeting) |= bit(fibre);
  warp.keys[lane] = key_of(kind, mask);
  warp.values[lane] = value;
  warp.numbers[lane] = asks ? site : number;
  if (meeting_advances(fibre)) {
    warp.renewed |= bit(fibre);
    if (!asks) advanced(warp);
  } else if (asks) {
    wait_takes(uint64_t{kMostStillRounds} * (1 + fibre.most_meetings));
  }
  if (!asks) finish_meeting(warp, warp.keys[lane]);
  nobody_ready(warp);
  leave(fibre);
  return warp.values[lane];
}

// --- turns and failures ---

void Block::await(Fibre& fibre, const Word& word) {
  Warp& warp = warp_of(fibre);
  const uint32_t lane = fibre.number % kLanes;
  warp.awaiting |= bit(fibre);
  warp.keys[lane] = reinterpret_cast<uint64_t>(word.address);
  warp.values[lane] = word.value;
  warp.numbers[lane] = word.bytes;
}

Word Block::awaited() const {
  Word all;
  for (const Warp& warp : warps_) {
    if (warp.ready != warp.awaiting || warp.asking) return {};
    for (uint32_t lanes = warp.awaiting; lanes != 0; lanes &= lanes - 1) {
      const Word word = warp.word(static_cast<uint32_t>(std::countr_zero(lanes)));
      if (all && word != all) return {};
      all = word;
    }
  }
  return all;
}

// Two iterations in a row that are the same will be followed by a third one, unless the word
// changes.
void Block::turn(Fibre& fibre, uint32_t site, uint64_t state, const Word& word) {
  turned_ = true;
  fibre.site = site;
  const uint64_t sum = chained(state, site);
  const uint64_t key = sum | (sum == 0);  // no bit of it is lost
  const bool anew = has_advanced(fibre, key);
  if (anew) advanced(warp_of(fibre));
  note_iteration(fibre, anew);
  if (std::exchange(fibre.last_turn, key) == key && word) await(fibre, word);
  leave(fibre);
}

// A turn like none of the last ones, nor where the thread's cycle leads; or out of that.
bool Block::has_advanced(Fibre& fibre, uint64_t key) {
  const bool went_round = lap(fibre) != 0;
  if (!cycles_.empty()) cycles_[fibre.number].turn(key);
  const uint32_t now = lap(fibre);
  const bool known = std::ranges::find(fibre.turns, key) != fibre.turns.end();
  if (!known) {
    fibre.turns[fibre.oldest_turn] = key;
    fibre.oldest_turn = (fibre.oldest_turn + 1) % fibre.turns.size();
  }
  return now == 0 && (went_round || !known);
}

// An iteration ends. One that was no advance takes a round more for each meeting.
void Block::note_iteration(Fibre& fibre, bool advanced) {
  const uint32_t meetings = std::exchange(fibre.meetings, 0);
  fibre.most_meetings = advanced ? meetings : std::max(meetings, fibre.most_meetings);
  fibre.repeats = !advanced;
  if (!advanced) wait_takes((1 + uint64_t{2} * lap(fibre)) * (1 + fibre.most_meetings));
}

void Block::wait_takes(uint64_t rounds) {
  longest_wait_ =
      static_cast<uint32_t>(std::max<uint64_t>(longest_wait_, std::min(rounds, kLongestWait)));
}

// How long the cycle is that the thread goes round, beyond its last turns; 0: none.
uint32_t Block::lap(const Fibre& fibre) const {
  if (cycles_.empty()) return 0;
  const Cycle& cycle = cycles_[fibre.number];
  return cycle.goes_round() && cycle.length() > fibre.turns.size() ? cycle.length() : 0;
}

}  // namespace cuda_device::runtime::fibres
