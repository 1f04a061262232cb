// The threads of a warp that take turns, for the interpreter, and meet at its operations.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "ir/lane.h"

namespace cuda_device::ir {

class RunningWarp {
 public:
  // The warp of that number in a block; `memory` is the block's.
  RunningWarp(const Launch& launch, std::array<uint32_t, 3> block, uint32_t number,
              const BlockMemory& memory, uint64_t max_steps);

  // Makes its threads, unless that is done. Before anything else.
  void start();
  // Empty where all have left the kernel and had their turn.
  std::vector<Lane>& lanes() { return lanes_; }
  const std::vector<Lane>& lanes() const { return lanes_; }
  bool finished() const;
  // Whether its threads meet again and again, and would only come back to where they are.
  bool repeats() const { return repeats_ && repeats_at_ == launch_.changes; }

  // From now on each thread has so many steps for its turn.
  void begin_turn(uint64_t steps);
  // Every thread goes on until it stops or its turn is over, and again after they met. False where
  // one has failed.
  bool take_turns();
  // Lets threads go on that have come to an operation of the warp together. Whether there were any.
  // Throws InterpretError where some wait for each other in vain.
  bool pass_one_meeting();

 private:
  std::vector<size_t> who_meets(std::span<const WarpMember> members);
  bool active_lanes_are_known();
  uint32_t live() const;
  std::string beginning() const;
  void check_own_mask(const Lane& lane, const WarpMember& member) const;
  [[noreturn]] void nobody_comes(const Lane& lane, const WarpMember& member) const;

  const Launch& launch_;
  const std::array<uint32_t, 3> block_;
  const uint32_t number_;
  const BlockMemory& memory_;
  const uint64_t max_steps_;
  bool started_ = false;
  bool asked_ = false;  // some wait to know the active lanes: Lane::asked is set
  Repetition repetition_;
  bool repeats_ = false;
  uint64_t repeats_at_ = 0;  // Launch::changes
  std::vector<Lane> lanes_;
  std::vector<const Lane*> all_;
};

}  // namespace cuda_device::ir
