#include "analysis/blocks/missed_operations.h"

#include <algorithm>
#include <bitset>
#include <optional>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/blocks/meetings_apart.h"
#include "analysis/blocks/thread_positions.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

constexpr size_t kMostThreads = 1024;
using Threads = std::bitset<kMostThreads>;

bool is_return(const Inst& i) { return i.op == Op::Return; }
bool is_other_jump(const Inst& i) {
  return ir::ends_block(i.op) && i.op != Op::Yield && i.op != Op::Return;
}

// Follows the threads of block 0 through the kernel. `here` are all that may come to a place
// together: more than do, where a condition is not known. `alive_` are those that have surely not
// left the kernel: fewer than there are.
class Walk {
 public:
  explicit Walk(const ir::Function& f) : function_(f), positions_(f) {
    for (size_t t = 0; t < positions_.threads(); ++t) alive_.set(t);
  }
  virtual ~Walk() = default;
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  static bool can_follow(const ir::Function& f) {
    return f.launch.has_block() && ThreadPositions(f).threads() <= kMostThreads;
  }
  void run() { block(function_.body, alive_); }

 protected:
  virtual void come_to(const Inst& inst, const Threads& here) = 0;
  // Those of them that execute iterations of a `for` that no jump leaves.
  virtual Threads in_iterations(const std::vector<int64_t>& trips, const Threads& here) const = 0;
  // Whether the threads that wait for each other agree on values of this level.
  virtual bool agree(const Shape& shape) const = 0;
  // Around what a jump leaves, and around what is perhaps not executed at all.
  virtual void enter_left(int) {}
  virtual void enter_perhaps(int) {}

  const Threads& alive() const { return alive_; }
  const Inst* condition() const { return condition_; }
  ThreadPositions& positions() { return positions_; }

  template <class P>
  static Threads those(const std::vector<int64_t>& values, const P& holds) {
    Threads found;
    for (size_t t = 0; t < values.size(); ++t) found[t] = holds(values[t]);
    return found;
  }

 private:
  // Those that come to its end.
  Threads block(const Block& b, Threads here) {
    for (const Inst* inst : b.insts) {
      if (inst->op == Op::Return) alive_ &= ~here;
      if (ir::ends_block(inst->op) && inst->op != Op::Yield) return {};
      come_to(*inst, here);
      if (inst->op == Op::If)
        here = branch(*inst, here);
      else if (!inst->regions.empty())
        here = around(*inst, here);
    }
    return here;
  }

  Threads branch(const Inst& inst, const Threads& here) {
    const ThreadPositions::Values& values = positions_.values(*inst.operands[0]);
    if (!values) return unknown_branch(inst, here);
    const Threads chosen = those(*values, [](int64_t v) { return v != 0; });
    const Inst* const before = condition_;
    condition_ = inst.operands[0];
    Threads end = block(inst.regions[0], here & chosen);
    end |= block(inst.regions[1], here & ~chosen);
    condition_ = before;
    return end;
  }

  // Where all agree that come here, those that go on are all alive if the others would have left.
  Threads unknown_branch(const Inst& inst, const Threads& here) {
    const auto returns = [&](size_t side) {
      return !inst.regions[side].empty() && is_return(*inst.regions[side].insts.back());
    };
    const bool one_returns = returns(0) != returns(1);
    const Threads before = alive_;
    enter_perhaps(1);
    Threads end = block(inst.regions[0], here);
    const Threads after = std::exchange(alive_, before);
    end |= block(inst.regions[1], here);
    enter_perhaps(-1);
    if (!one_returns || !agree(shape(*inst.operands[0])))
      alive_ &= after;
    else if (returns(1))
      alive_ = after;
    return end;
  }

  const Shape& shape(const Inst& value) {
    if (!analysis_) analysis_.emplace(analyse(function_));
    return analysis_->shape(value);
  }

  // A loop or scope. Threads that return in one iteration are gone in the next.
  Threads around(const Inst& inst, const Threads& here) {
    if (inst.op != Op::Scope && ir::any_inside(inst, is_return)) alive_ &= ~here;
    const bool left = ir::any_inside(inst, is_other_jump);
    const Inst* const before = condition_;
    enter_left(left);
    Threads end = here;
    if (inst.op == Op::For)
      end = for_loop(inst, here);
    else if (inst.op == Op::While)
      while_loop(inst, here);
    else
      end = block(inst.regions[0], here);
    enter_left(-left);
    condition_ = before;
    return left ? here : end;
  }

  void while_loop(const Inst& loop, const Threads& here) {
    block(loop.regions[0], here);
    enter_perhaps(1);
    block(loop.regions[1], here);
    block(loop.regions[2], here);
    enter_perhaps(-1);
  }

  Threads for_loop(const Inst& loop, const Threads& here) {
    const auto jumps = [](const Inst& i) { return is_return(i) || is_other_jump(i); };
    ThreadPositions::Values trips;
    if (!ir::any_inst(loop.regions[0], jumps)) trips = positions_.trips(loop);
    if (trips) condition_ = &loop;
    enter_perhaps(!trips);
    block(loop.regions[0], trips ? in_iterations(*trips, here) : here);
    const Threads end = block(loop.regions[1], here);
    enter_perhaps(-!trips);
    return end;
  }

  const ir::Function& function_;
  ThreadPositions positions_;
  std::optional<Analysis> analysis_;
  Threads alive_;
  const Inst* condition_ = nullptr;  // the innermost one that is known by thread
};

class BarrierWalk final : public Walk {
 public:
  using Walk::Walk;
  std::vector<MissedOperation> take() { return std::move(found_); }

 private:
  void come_to(const Inst& inst, const Threads& here) override {
    if (ir::is_barrier(inst.op) && left_ == 0 && here.any() && (alive() & ~here).any())
      found_.push_back({&inst, condition()});
  }
  // In the last one.
  Threads in_iterations(const std::vector<int64_t>& trips, const Threads& here) const override {
    int64_t most = 0;
    for (size_t t = 0; t < trips.size(); ++t)
      if (here[t]) most = std::max(most, trips[t]);
    return most == 0 ? Threads() : here & those(trips, [&](int64_t n) { return n == most; });
  }
  bool agree(const Shape& shape) const override { return shape.level <= Level::BlockUniform; }
  void enter_left(int by) override { left_ += by; }

  int left_ = 0;
  std::vector<MissedOperation> found_;
};

// All barriers, with those that come to each at least once.
class ReachWalk final : public Walk {
 public:
  using Walk::Walk;
  std::vector<MissedOperation> unmatched() const {
    std::vector<MissedOperation> found;
    for (const Barrier& b : barriers_) {
      const bool some_come = b.surely && (b.alive & b.here).any();
      const Threads others = b.alive & ~b.here;
      if (some_come && others.any() && !reaches_any(others)) found.push_back(b.operation);
    }
    return found;
  }

 private:
  struct Barrier {
    MissedOperation operation;
    bool surely;
    Threads here, alive;
  };

  void come_to(const Inst& inst, const Threads& here) override {
    if (!ir::is_barrier(inst.op)) return;
    const bool surely = perhaps_ == 0 && alive().count() == positions().threads();
    barriers_.push_back({{&inst, condition()}, surely, here, alive()});
  }
  Threads in_iterations(const std::vector<int64_t>& trips, const Threads& here) const override {
    return here & those(trips, [](int64_t n) { return n > 0; });
  }
  bool agree(const Shape& shape) const override { return shape.level <= Level::BlockUniform; }
  void enter_left(int by) override { perhaps_ += by; }
  void enter_perhaps(int by) override { perhaps_ += by; }
  bool reaches_any(const Threads& threads) const {
    return std::ranges::any_of(barriers_,
                               [&](const Barrier& b) { return (b.here & threads).any(); });
  }

  int perhaps_ = 0;
  std::vector<Barrier> barriers_;
};

class MeetingWalk final : public Walk {
 public:
  using Walk::Walk;
  // Those that some lanes miss, in the order of the program.
  const std::vector<const Inst*>& missed() const { return missed_; }

 private:
  void come_to(const Inst& inst, const Threads& here) override {
    if (!ir::meets_warp(inst.op) || inst.op == Op::ActiveMask) return;
    const ThreadPositions::Values& masks = positions().values(*inst.operands[0]);
    if (!masks) return;
    const Threads elsewhere = alive() & ~here;
    for (size_t t = 0; t < masks->size(); ++t)
      if (here[t] && names_one_of(elsewhere, static_cast<uint32_t>((*masks)[t]), t))
        return missed_.push_back(&inst);
  }
  static bool names_one_of(const Threads& threads, uint32_t mask, size_t thread) {
    const size_t first = thread / kWarpWidth * kWarpWidth;
    for (size_t lane = 0; lane < kWarpWidth; ++lane)
      if (mask >> lane & 1 && threads[first + lane]) return true;
    return false;
  }
  Threads in_iterations(const std::vector<int64_t>& trips, const Threads& here) const override {
    return here & those(trips, [](int64_t n) { return n > 0; });
  }
  bool agree(const Shape& shape) const override { return shape.uniform(); }

  std::vector<const Inst*> missed_;
};

}  // namespace

std::vector<MissedOperation> missed_barriers(const ir::Function& f) {
  if (!Walk::can_follow(f) || !ir::has_barrier(f.body)) return {};
  BarrierWalk walk(f);
  walk.run();
  return walk.take();
}

std::vector<MissedOperation> unmatched_barriers(const ir::Function& f) {
  if (!Walk::can_follow(f) || !ir::has_barrier(f.body)) return {};
  ReachWalk walk(f);
  walk.run();
  return walk.unmatched();
}

const Inst* missed_meeting(const ir::Function& f) {
  const auto meets = [](const Inst& i) { return ir::meets_warp(i.op) && i.op != Op::ActiveMask; };
  if (!Walk::can_follow(f) || !ir::any_inst(f.body, meets)) return nullptr;
  MeetingWalk walk(f);
  walk.run();
  if (walk.missed().empty()) return nullptr;
  const std::vector<bool> stay = missed_by_lanes_that_stay(f);
  const auto found =
      std::ranges::find_if(walk.missed(), [&](const Inst* inst) { return stay[inst->id]; });
  return found == walk.missed().end() ? nullptr : *found;
}

}  // namespace cuda_device::analysis
