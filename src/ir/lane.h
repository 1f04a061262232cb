// One thread among those that take turns, for the interpreter: how far it goes in a turn, and
// whether it spins, that is, waits in a loop for what only others can change.
#pragma once

#include <vector>

#include "ir/machine.h"

namespace cuda_device::ir {

// Steps of a turn where threads go on in order. Large, so that a thread that waits for no other
// comes to its end or to a barrier in one turn: then blocks and threads run one after the other, in
// increasing order, and a sum of floats by atomics has one result.
inline constexpr uint64_t kTurn = uint64_t{1} << 20;

struct Lane {
  explicit Lane(Thread&& t) : thread(std::move(t)) {}

  Thread thread;
  Outcome outcome = Outcome::OutOfSteps;  // which means that it can go on
  uint64_t turn = 0;                      // steps that are left of its turn
  // The thread comes back to the state that it has after so many steps, while nothing changes that
  // others can see. 0: not known to.
  uint64_t cycle = 0;
  uint64_t changes = 0;  // Launch::changes when it was watched last
  uint64_t watched = 0;  // steps for which it is watched the next time
  uint64_t asked = 0;    // Thread::taken when others began to wait for it to become active, or not
};

// Whether the thread stands at no barrier or operation of its warp and has not left the kernel.
inline bool can_go_on(const Lane& lane) { return lane.outcome == Outcome::OutOfSteps; }
// It can go on, and would only come back to where it is.
inline bool spins(const Launch& launch, const Lane& lane) {
  return can_go_on(lane) && lane.cycle != 0 && lane.changes == launch.changes;
}

// Goes on until the thread stops, its turn is over or it is found to spin. Throws InterpretError
// where it has taken more than `max_steps` steps.
void take_turn(const Launch& launch, Lane& lane, uint64_t max_steps);
// Goes on for a while, and finds whether the thread spins: a thread is deterministic, so one that
// comes back to a state that it had while nothing was changed does so for ever. That takes as many
// steps as its loop; where nothing has changed since the last time the while is twice as long.
void watch(const Launch& launch, Lane& lane, uint64_t max_steps);
// Whether threads that meet again and again go in circles: they come back to a state that all of
// them had, while nothing was changed. Then they wait for others.
class Repetition {
 public:
  // To be told each time that they have met. Whether they repeat what they did.
  bool met(const Launch& launch, const std::vector<const Lane*>& lanes);

 private:
  bool is_as_before(const Launch& launch, const std::vector<const Lane*>& lanes) const;

  std::vector<Thread> before_;  // empty: not watched so far
  uint64_t changes_ = UINT64_MAX, since_ = 0, distance_ = 0;
};

// The thread has passed the barrier, or operation of its warp, that it stood at.
void pass(const Launch& launch, Lane& lane, int64_t result);

}  // namespace cuda_device::ir
