#include "ir/turns.h"

#include <algorithm>
#include <random>

#include "ir/deadlock.h"

namespace cuda_device::ir {
namespace {

// The blocks of a launch that have been started and have not finished, and those that are left.
class Turns {
 public:
  Turns(const Launch& launch, uint64_t max_steps) : launch_(launch), max_steps_(max_steps) {
    const auto& extents = launch.grid.grid;
    blocks_ = uint64_t{extents[0]} * extents[1] * extents[2];
  }
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  virtual ~Turns() = default;

  void run() {
    while (round()) {
      std::erase_if(started_, [](const auto& block) { return block->finished(); });
      if (left() != 0)
        start_some();
      else if (started_.empty())
        return;
      else if (all_wait(launch_, started_))
        throw_deadlock(launch_, started_);
    }
  }

 protected:
  // Every thread that was started has a turn. False where one has failed.
  virtual bool round() = 0;
  // After a round: of the blocks that are left, one or none.
  virtual void start_some() = 0;

  void start_next() {
    const auto& extents = launch_.grid.grid;
    const uint64_t n = next_++;
    const std::array<uint32_t, 3> index{static_cast<uint32_t>(n % extents[0]),
                                        static_cast<uint32_t>(n / extents[0] % extents[1]),
                                        static_cast<uint32_t>(n / extents[0] / extents[1])};
    started_.push_back(std::make_unique<RunningBlock>(launch_, index, max_steps_));
  }
  uint64_t left() const { return blocks_ - next_; }

  const Launch& launch_;
  const uint64_t max_steps_;
  RunningBlocks started_;

 private:
  uint64_t blocks_ = 0, next_ = 0;
};

class InOrder : public Turns {
 public:
  using Turns::Turns;

 private:
  bool round() override {
    return std::ranges::all_of(started_, [](auto& block) { return block->take_turns(kTurn); });
  }
  void start_some() override { start_next(); }
};

class Shuffled : public Turns {
 public:
  Shuffled(const Launch& launch, uint64_t max_steps, const Schedule& schedule)
      : Turns(launch, max_steps), random_(*schedule.seed), longest_(schedule.longest_turn) {}

 private:
  struct Turn {
    RunningBlock* block;
    RunningWarp* warp;
    Lane* lane;
  };

  bool round() override {
    std::vector<Turn> turns;
    for (auto& block : started_) {
      for (RunningWarp& warp : block->warps()) {
        warp.start();
        for (Lane& lane : warp.lanes())
          if (can_go_on(lane)) turns.push_back({block.get(), &warp, &lane});
      }
    }
    for (size_t k = turns.size(); k > 1; --k) std::swap(turns[k - 1], turns[random_() % k]);
    // Turns are too short to find in one of them that a thread spins.
    const bool quiet = launch_.changes == changes_;
    changes_ = launch_.changes;
    return std::ranges::all_of(turns, [&](const Turn& turn) { return take(turn, quiet); });
  }

  bool take(const Turn& turn, bool quiet) {
    Lane& lane = *turn.lane;
    if (spins(launch_, lane) || turn.warp->repeats() || turn.block->repeats()) return true;
    lane.cycle = 0;
    lane.turn = 1 + random_() % longest_;
    take_turn(launch_, lane, max_steps_);
    if (quiet && can_go_on(lane)) watch(launch_, lane, max_steps_);
    if (lane.outcome == Outcome::Failed) return false;
    while (turn.warp->pass_one_meeting()) {
    }
    turn.block->pass_barrier();
    return true;
  }

  void start_some() override {
    if (started_.empty() || random_() % 2 == 0) start_next();
  }

  std::mt19937_64 random_;
  const uint64_t longest_;
  uint64_t changes_ = UINT64_MAX;  // before the round
};

}  // namespace

void run_blocks(const Launch& launch, uint64_t max_steps, const Schedule& schedule) {
  if (schedule.seed)
    Shuffled(launch, max_steps, schedule).run();
  else
    InOrder(launch, max_steps).run();
}

}  // namespace cuda_device::ir
