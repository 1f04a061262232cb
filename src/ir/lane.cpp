#include "ir/lane.h"

#include <algorithm>

namespace cuda_device::ir {
namespace {

// A thread is watched after so many steps of a turn: watching takes longer than running.
constexpr uint64_t kUnwatched = 4096;
constexpr uint64_t kUnwatchedMeetings = 64;
constexpr uint64_t kFirstWatch = 256;
// Beyond that a loop counts as one that ends some time.
constexpr uint64_t kLongestWatch = uint64_t{1} << 24;

// Where a thread goes on from depends on nothing else of its own.
bool same_state(const Thread& a, const Thread& b) {
  return a.next == b.next && a.registers == b.registers && a.local == b.local &&
         a.arrays == b.arrays && a.callers == b.callers;
}

void report_failure(const Launch& launch, const Thread& thread) {
  const Function& f = *launch.code.function;
  const FailedThread failed = failure_of(launch, thread);
  if (!launch.report)
    throw InterpretError(cuda_device::text_of(f.name, f.failures[failed.failure], "", failed));
  launch.report->failed = failed;
}

void go_on(const Launch& launch, Lane& lane, uint64_t steps, uint64_t max_steps) {
  Thread& thread = lane.thread;
  const uint64_t before = thread.taken;
  lane.outcome = advance(launch, thread, std::min(steps, max_steps - before));
  lane.turn -= std::min(lane.turn, thread.taken - before);
  if (can_go_on(lane) && thread.taken == max_steps)
    throw InterpretError("more than " + std::to_string(max_steps) + " steps in one thread");
  if (lane.outcome == Outcome::Failed) report_failure(launch, thread);
}

// Brent's algorithm: compares with a state that is replaced at distances that double. The length of
// the cycle, or 0 where none was found.
uint64_t find_cycle(const Launch& launch, Lane& lane, uint64_t max_steps) {
  Thread before = lane.thread;
  uint64_t since = 0, distance = 16;
  for (uint64_t k = 0; k < lane.watched; ++k) {
    go_on(launch, lane, 1, max_steps);
    if (!can_go_on(lane) || launch.changes != lane.changes) return 0;
    ++since;
    if (same_state(lane.thread, before)) return since;
    if (since < distance) continue;
    before = lane.thread;
    since = 0;
    distance *= 2;
  }
  return 0;
}

}  // namespace

void watch(const Launch& launch, Lane& lane, uint64_t max_steps) {
  const bool quiet = lane.watched != 0 && lane.changes == launch.changes;
  lane.watched = quiet ? std::min(2 * lane.watched, kLongestWatch) : kFirstWatch;
  lane.changes = launch.changes;
  lane.cycle = find_cycle(launch, lane, max_steps);
}

void take_turn(const Launch& launch, Lane& lane, uint64_t max_steps) {
  // One that span when it was looked at last probably goes on with that.
  if (lane.cycle == 0) go_on(launch, lane, std::min(lane.turn, kUnwatched), max_steps);
  if (can_go_on(lane) && lane.turn != 0) watch(launch, lane, max_steps);
  if (can_go_on(lane) && lane.turn != 0 && !spins(launch, lane))
    go_on(launch, lane, lane.turn, max_steps);
}

// Brent's algorithm too.
bool Repetition::met(const Launch& launch, const std::vector<const Lane*>& lanes) {
  if (launch.changes != changes_) {
    changes_ = launch.changes;
    before_.clear();
    since_ = 0;
    distance_ = kUnwatchedMeetings;
    return false;
  }
  if (is_as_before(launch, lanes)) return true;
  if (++since_ < distance_) return false;
  before_.clear();
  for (const Lane* lane : lanes) before_.push_back(lane->thread);
  since_ = 0;
  distance_ *= 2;
  return false;
}

// One that could go on, and has not, may do something else.
bool Repetition::is_as_before(const Launch& launch, const std::vector<const Lane*>& lanes) const {
  if (before_.empty() || before_.size() != lanes.size()) return false;
  for (size_t k = 0; k < lanes.size(); ++k) {
    const Lane& lane = *lanes[k];
    if (!same_state(lane.thread, before_[k])) return false;
    const bool stays = !can_go_on(lane) || spins(launch, lane);
    if (!stays && lane.thread.taken == before_[k].taken) return false;
  }
  return true;
}

void pass(const Launch& launch, Lane& lane, int64_t result) {
  pass_barrier(launch, lane.thread, result);
  lane.outcome = Outcome::OutOfSteps;
  lane.cycle = lane.watched = 0;
}

}  // namespace cuda_device::ir
