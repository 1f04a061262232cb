#include "analysis/ranges.h"

#include <utility>

#include "analysis/range_state.h"
#include "analysis/range_transfer.h"
#include "analysis/refine.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

// A loop body is visited several times, one inside another a power of that; deeper ones are not
// iterated.
constexpr int kIteratedDepth = 3;
constexpr int kRoundsBeforeWidening = 2;

bool has_range(const ir::Type& t) { return t.is_int() || t.is_bool(); }

class Walk {
 public:
  explicit Walk(const ir::Function& f)
      : f_(f),
        states_(f),
        state_(states_.entry()),
        values_(f.inst_count()),
        stored_(f.inst_count()),
        seen_(f.inst_count()),
        of_([this](const Inst& i) { return value(i); }) {
    ir::for_each_inst(f.body, [&](const Inst& i) {
      if (has_range(i.type)) values_[i.id] = full(i.type.scalar);
    });
    block(f.body);
  }

  Ranges take(const SlotSet& live_at_entry) {
    Ranges r{.values = std::move(values_), .slots = {}};
    SlotSet any = live_at_entry;
    r.slots.resize(f_.slots.size());
    ir::for_each_inst(f_.body, [&](const Inst& i) {
      if (!ir::sets_slot(i.op) || !seen_[i.id]) return;
      const auto slot = static_cast<size_t>(i.imm);
      r.slots[slot] = any[slot] ? hull(r.slots[slot], stored_[i.id]) : stored_[i.id];
      any.insert(slot);
    });
    return r;
  }

 private:
  struct Frame {
    const Inst* construct;
    RangeState exit = RangeStates::unreachable();  // break, leave
    RangeState next = RangeStates::unreachable();  // continue
  };

  Interval value(const Inst& i) const {
    const std::optional<Interval>& refined = state_.refined[i.id];
    return refined ? *refined : values_[i.id];
  }

  void block(const Block& b) {
    for (const Inst* inst : b.insts) {
      if (!state_.reachable) return;
      visit(*inst);
    }
  }

  void visit(const Inst& inst) {
    switch (inst.op) {
      case Op::SlotLoad:
        return load(inst);
      case Op::SlotStore:
        return store(inst,
                     has_range(inst.operands[0]->type) ? value(*inst.operands[0]) : Interval{});
      case Op::If:
        return branch(inst);
      case Op::While:
      case Op::For:
        return loop(inst);
      case Op::Scope:
        return scope(inst);
      case Op::Break:
      case Op::Continue:
      case Op::Leave:
        return jump(inst);
      case Op::Return:
        state_ = RangeStates::unreachable();
        return;
      case Op::Check:
        return check(*inst.operands[0]);
      default:  // no other is control, sets a variable, or says what holds behind it
        if (has_range(inst.type)) define(inst, interval_of(inst, f_, of_));
    }
  }

  void define(const Inst& inst, Interval v) {
    values_[inst.id] = v;
    if (state_.refined[inst.id]) state_.refined.set(inst.id, std::nullopt);
  }

  void load(const Inst& inst) {
    if (!has_range(inst.type)) return;
    const auto slot = static_cast<size_t>(inst.imm);
    define(inst, state_.slots[slot].interval);
    versions_[inst.id] = RangeStates::seen(state_, slot);
  }

  void store(const Inst& inst, Interval v) {
    stored_[inst.id] = v;
    seen_[inst.id] = true;
    states_.store(state_, static_cast<size_t>(inst.imm), v);
  }

  void assume(const Inst& condition, bool holds) {
    if (state_.reachable) refine(condition, holds, state_, of_, versions_);
  }

  // Who goes on has passed it.
  void check(const Inst& condition) {
    if (condition.op == Op::Const && condition.imm == 0)
      state_ = RangeStates::unreachable();
    else
      assume(condition, true);
  }

  void branch(const Inst& inst) {
    const RangeState before = state_;
    assume(*inst.operands[0], true);
    block(inst.regions[0]);
    const RangeState after_then = std::exchange(state_, before);
    assume(*inst.operands[0], false);
    block(inst.regions[1]);
    state_ = states_.join(after_then, state_);
  }

  void scope(const Inst& inst) {
    frames_.push_back({&inst});
    block(inst.regions[0]);
    state_ = states_.join(state_, frames_.back().exit);
    frames_.pop_back();
  }

  void jump(const Inst& inst) {
    Frame& to = frame_of(inst);
    RangeState& target = inst.op == Op::Continue ? to.next : to.exit;
    target = states_.join(target, state_);
    state_ = RangeStates::unreachable();
  }

  Frame& frame_of(const Inst& jump) {
    int64_t scopes = jump.op == Op::Leave ? jump.imm : 0;
    size_t i = frames_.size();
    while (i-- > 0) {
      const bool is_scope = frames_[i].construct->op == Op::Scope;
      if (is_scope != (jump.op == Op::Leave)) continue;
      if (scopes-- == 0) break;
    }
    return frames_.at(i);
  }

  void loop(const Inst& inst) {
    const RangeState entry = state_;
    const RangeState head =
        ++depth_ > kIteratedDepth ? anything(inst, entry) : fixpoint(inst, entry);
    const RangeState exit = run_loop(inst, entry, head);
    --depth_;
    block(inst.regions.back());
    state_ = states_.join(state_, exit);
  }

  RangeState anything(const Inst& inst, RangeState head) {
    SlotSet stored(f_.slots.size());
    ir::for_each_inst(Block{{const_cast<Inst*>(&inst)}}, [&](const Inst& i) {
      if (ir::sets_slot(i.op)) stored.insert(static_cast<size_t>(i.imm));
    });
    states_.forget(head, stored);
    return head;
  }

  // A state that holds at the head in every iteration.
  RangeState fixpoint(const Inst& inst, const RangeState& entry) {
    RangeState head = entry;
    for (int round = 0;; ++round) {
      RangeState reached = states_.join(entry, iterate(inst, head).next);
      if (RangeStates::covers(head, reached)) return head;
      head = round < kRoundsBeforeWidening ? std::move(reached) : states_.widen(head, reached);
    }
  }

  // Narrows the head once where that still holds, and leaves the records of the last visit and the
  // state behind the condition. Returns the state of lanes that broke.
  RangeState run_loop(const Inst& inst, const RangeState& entry, const RangeState& head) {
    Pass pass = iterate(inst, head);
    RangeState narrowed = states_.join(entry, pass.next);
    if (!RangeStates::covers(narrowed, head)) {
      pass = iterate(inst, narrowed);
      if (!RangeStates::covers(narrowed, states_.join(entry, pass.next)))
        pass = iterate(inst, head);
    }
    state_ = std::move(pass.done);
    return std::move(pass.broke);
  }

  struct Pass {
    RangeState next;  // at the end of the body
    RangeState done;  // where the loop ended by its condition
    RangeState broke;
  };

  Pass iterate(const Inst& inst, const RangeState& head) {
    state_ = head;
    states_.renew_versions(state_);
    Pass pass{.next = {}, .done = state_, .broke = {}};
    if (inst.op == Op::While) {
      pass.done = condition(inst);
    } else {
      store(inst, counter_interval(inst, of_));
    }
    frames_.push_back({&inst});
    block(inst.regions[inst.regions.size() - 2]);
    pass.next = states_.join(state_, frames_.back().next);
    pass.broke = std::move(frames_.back().exit);
    frames_.pop_back();
    return pass;
  }

  RangeState condition(const Inst& inst) {
    block(inst.regions[0]);
    const Inst& yielded = *inst.regions[0].insts.back()->operands[0];
    const RangeState before = state_;
    assume(yielded, false);
    RangeState done = std::exchange(state_, before);
    assume(yielded, true);
    return done;
  }

  const ir::Function& f_;
  RangeStates states_;
  RangeState state_;
  std::vector<Interval> values_;
  std::vector<Interval> stored_;  // by stores and for loops
  std::vector<bool> seen_;
  Versions versions_;
  RangeOf of_;
  std::vector<Frame> frames_;
  int depth_ = 0;
};

}  // namespace

Ranges find_ranges(const ir::Function& f, const SlotSet& live_at_entry) {
  return Walk(f).take(live_at_entry);
}

}  // namespace cuda_device::analysis
