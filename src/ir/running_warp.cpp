#include "ir/running_warp.h"

#include <algorithm>

#include "ir/warp.h"
#include "support/check.h"

namespace cuda_device::ir {
namespace {

bool has_finished(const Lane& lane) { return lane.outcome == Outcome::Finished; }

}  // namespace

RunningWarp::RunningWarp(const Launch& launch, std::array<uint32_t, 3> block, uint32_t number,
                         const BlockMemory& memory, uint64_t max_steps)
    : launch_(launch), block_(block), number_(number), memory_(memory), max_steps_(max_steps) {}

void RunningWarp::start() {
  if (started_) return;
  started_ = true;
  const auto& extents = launch_.grid.block;
  const uint32_t threads = extents[0] * extents[1] * extents[2];
  const uint32_t first = number_ * kWarpSize, end = std::min(first + kWarpSize, threads);
  lanes_.reserve(end - first);
  for (uint32_t t = first; t < end; ++t) {
    const std::array<uint32_t, 3> index{t % extents[0], t / extents[0] % extents[1],
                                        t / extents[0] / extents[1]};
    all_.push_back(&lanes_.emplace_back(Thread(launch_, block_, index, &memory_)));
  }
}

bool RunningWarp::finished() const { return started_ && std::ranges::all_of(lanes_, has_finished); }

void RunningWarp::begin_turn(uint64_t steps) {
  start();
  for (Lane& lane : lanes_) lane.turn = steps;
}

bool RunningWarp::take_turns() {
  if (repeats()) return true;
  do {
    for (Lane& lane : lanes_) {
      if (!can_go_on(lane) || lane.turn == 0 || spins(launch_, lane)) continue;
      take_turn(launch_, lane, max_steps_);
      if (lane.outcome == Outcome::Failed) return false;
    }
  } while (pass_one_meeting() && !repeats());
  if (finished()) {
    all_.clear();
    lanes_.clear();
  }
  return true;
}

bool RunningWarp::pass_one_meeting() {
  std::vector<WarpMember> members;
  std::vector<Lane*> waiting;
  for (Lane& lane : lanes_) {
    if (lane.outcome != Outcome::InWarp) continue;
    members.push_back(warp_member(launch_, lane.thread));
    waiting.push_back(&lane);
    check_own_mask(lane, members.back());
  }
  if (waiting.empty()) return false;
  const std::vector<size_t> group = who_meets(members);
  if (group.empty()) {
    if (std::ranges::none_of(lanes_, can_go_on)) nobody_comes(*waiting.front(), members.front());
    return false;
  }
  std::vector<WarpMember> met;
  met.reserve(group.size());
  for (const size_t i : group) met.push_back(members[i]);
  const std::vector<int64_t> results = results_of_meeting(met);
  for (size_t k = 0; k < group.size(); ++k) pass(launch_, *waiting[group[k]], results[k]);
  repeats_ = repetition_.met(launch_, all_);
  repeats_at_ = launch_.changes;
  return true;
}

std::vector<size_t> RunningWarp::who_meets(std::span<const WarpMember> members) {
  std::vector<size_t> group = meeting(members, live());
  const bool asks = !group.empty() && members[group.front()].operation->op == Op::ActiveMask;
  if (asks && !active_lanes_are_known()) group.clear();
  return group;
}

// Who is active is known when the others have come to a place of theirs. Those that go on are given
// the steps of a whole turn for that, and not more: they may wait for the ones that ask.
bool RunningWarp::active_lanes_are_known() {
  if (!asked_) {
    for (Lane& lane : lanes_) lane.asked = lane.thread.taken;
  }
  bool known = true;
  bool others = false;
  for (const Lane& lane : lanes_) {
    if (!can_go_on(lane) || spins(launch_, lane)) continue;
    others = true;
    known = known && lane.thread.taken - lane.asked >= kTurn;
  }
  asked_ = !known;
  if (known && others) ++launch_.changes;  // a matter of time, which may be another the next time
  return known;
}

uint32_t RunningWarp::live() const {
  uint32_t lanes = 0;
  for (const Lane& lane : lanes_)
    if (!has_finished(lane)) lanes |= uint32_t{1} << warp_lane(launch_, lane.thread);
  return lanes;
}

std::string RunningWarp::beginning() const { return "block " + text_of(block_) + ": "; }

void RunningWarp::check_own_mask(const Lane& lane, const WarpMember& member) const {
  if (member.operation->op == Op::ActiveMask || has_lane(member.mask, member.lane)) return;
  throw InterpretError(beginning() +
                       "a thread is not in its own mask: " + place_text(launch_, lane.thread));
}

// Some thread that the mask names waits elsewhere.
void RunningWarp::nobody_comes(const Lane& waiting, const WarpMember& member) const {
  for (const Lane& lane : lanes_) {
    if (has_finished(lane) || !has_lane(member.mask, warp_lane(launch_, lane.thread))) continue;
    if (lane.outcome == Outcome::InWarp) {
      const WarpMember other = warp_member(launch_, lane.thread);
      if (other.operation == member.operation && other.mask == member.mask) continue;
    }
    throw InterpretError(beginning() + "threads of a warp wait for each other in vain: " +
                         place_text(launch_, waiting.thread) + ", " +
                         place_text(launch_, lane.thread));
  }
  CD_UNREACHABLE("all threads of a mask have come, and do not meet");
}

}  // namespace cuda_device::ir
