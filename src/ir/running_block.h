// The threads of a block that take turns, for the interpreter, and meet at its barriers.
#pragma once

#include <array>
#include <vector>

#include "ir/running_warp.h"

namespace cuda_device::ir {

class RunningBlock {
 public:
  RunningBlock(const Launch& launch, std::array<uint32_t, 3> index, uint64_t max_steps);
  RunningBlock(const RunningBlock&) = delete;
  RunningBlock& operator=(const RunningBlock&) = delete;

  const std::array<uint32_t, 3>& index() const { return index_; }
  std::vector<RunningWarp>& warps() { return warps_; }
  const std::vector<RunningWarp>& warps() const { return warps_; }
  bool finished() const;
  // As RunningWarp::repeats, of all that meet at barriers.
  bool repeats() const { return repeats_ && repeats_at_ == launch_.changes; }

  // Every thread takes a turn of so many steps, warp by warp, and from barrier to barrier. False
  // where one has failed.
  bool take_turns(uint64_t steps);
  // Lets the threads go on where all that have not left the kernel have come to a barrier, each to
  // any, and says whether they have. Throws InterpretError where those are of different kinds.
  bool pass_barrier();

 private:
  const Launch& launch_;
  const std::array<uint32_t, 3> index_;
  const BlockMemory memory_;
  std::vector<RunningWarp> warps_;
  Repetition repetition_;
  bool repeats_ = false;
  uint64_t repeats_at_ = 0;  // Launch::changes
};

}  // namespace cuda_device::ir
