#include "ir/running_block.h"

#include <algorithm>

#include "support/check.h"

namespace cuda_device::ir {
namespace {

int64_t barrier_result(Op op, size_t came, size_t trues) {
  switch (op) {
    case Op::Barrier:
      return 0;
    case Op::BarrierCount:
      return static_cast<int64_t>(trues);
    case Op::BarrierAnd:
      return trues == came;
    case Op::BarrierOr:
      return trues != 0;
#define OP(name, ...) case Op::name:
#define BARRIER(...)
#include "ir/op.def"
      break;
  }
  CD_UNREACHABLE("no barrier: " + std::string(info(op).text));
}

}  // namespace

RunningBlock::RunningBlock(const Launch& launch, std::array<uint32_t, 3> index, uint64_t max_steps)
    : launch_(launch), index_(index), memory_(launch, index) {
  const auto& extents = launch.grid.block;
  const uint32_t threads = extents[0] * extents[1] * extents[2];
  for (uint32_t warp = 0; warp * kWarpSize < threads; ++warp)
    warps_.emplace_back(launch, index, warp, memory_, max_steps);
}

bool RunningBlock::finished() const {
  return std::ranges::all_of(warps_, [](const RunningWarp& warp) { return warp.finished(); });
}

bool RunningBlock::take_turns(uint64_t steps) {
  if (repeats()) return true;
  bool begun = false;
  do {
    for (RunningWarp& warp : warps_) {
      if (!begun) warp.begin_turn(steps);
      if (!warp.take_turns()) return false;
    }
    begun = true;
  } while (pass_barrier() && !repeats());
  return true;
}

bool RunningBlock::pass_barrier() {
  std::vector<Lane*> waiting;
  for (RunningWarp& warp : warps_) {
    for (Lane& lane : warp.lanes()) {
      if (lane.outcome == Outcome::Finished) continue;
      if (lane.outcome != Outcome::AtBarrier) return false;
      waiting.push_back(&lane);
    }
  }
  if (waiting.empty()) return false;
  const Op barrier = barrier_of(launch_, waiting.front()->thread).op;
  size_t trues = 0;
  for (const Lane* lane : waiting) {
    if (barrier_of(launch_, lane->thread).op != barrier) {
      throw InterpretError(
          "block " + text_of(index_) + ": threads wait at barriers of different kinds: " +
          place_text(launch_, waiting.front()->thread) + ", " + place_text(launch_, lane->thread));
    }
    trues += barrier_operand(launch_, lane->thread);
  }
  const int64_t result = barrier_result(barrier, waiting.size(), trues);
  for (Lane* lane : waiting) pass(launch_, *lane, result);
  repeats_ = repetition_.met(launch_, {waiting.begin(), waiting.end()});
  repeats_at_ = launch_.changes;
  return true;
}

}  // namespace cuda_device::ir
