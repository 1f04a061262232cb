#include "analysis/ranges/ranges.h"

#include <unordered_map>
#include <utility>

#include "analysis/ranges/range_state.h"
#include "analysis/ranges/range_transfer.h"
#include "analysis/ranges/refine.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

// A loop's body is walked once for each walk of what is around it, and so often more than that in
// all. Then what was found of the loop before has to do, so walks add up with the depth of a nest
// and do not multiply.
constexpr int kMostExtraWalks = 64;
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
      if (has_range(i.type)) values_[i.id] = full(i.type.scalar());
    });
    block(f.body);
  }

  Ranges take(const SlotSet& live_at_entry) {
    Ranges r{.values = std::move(values_), .slots = {}, .visits = visits_};
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
    ++visits_;
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
      default:  // no other is control, sets a variable, or says what holds after it
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

  // Threads that go on have passed it.
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

  struct Pass {
    RangeState next;  // at the end of the body
    RangeState done;  // where the loop ended by its condition
    RangeState broke;
  };

  // What is known of a loop from its last visit.
  struct KnownLoop {
    SlotSet stored;  // slots that its iterations may store to
    RangeState entry = RangeStates::unreachable();
    RangeState head;      // holds in every iteration of a loop that is entered in `entry`
    int extra_walks = 0;  // of its body, in all visits

    bool walks_left() const { return extra_walks < kMostExtraWalks; }
  };

  KnownLoop& known_loop(const Inst& inst) {
    const auto [at, is_new] = loops_.try_emplace(inst.id);
    KnownLoop& known = at->second;
    if (!is_new) return known;
    known.stored = SlotSet(f_.slots.size());
    ir::for_each_inst(Block{{const_cast<Inst*>(&inst)}}, [&](const Inst& i) {
      if (ir::sets_slot(i.op)) known.stored.insert(static_cast<size_t>(i.imm));
    });
    return known;
  }

  // An outer loop visits one inside it again in wider states, until they hold, and in a narrower
  // one at last. In a wider one the search goes on from the head that was found; in a narrower one
  // that head holds as well unless values from outside are others, but a search from the beginning
  // may find less.
  void loop(const Inst& inst) {
    const RangeState entry = state_;
    KnownLoop& known = known_loop(inst);
    const bool narrower =
        RangeStates::covers(known.entry, entry) && !RangeStates::covers(entry, known.entry);
    const bool anew = !known.entry.reachable || (narrower && known.walks_left());
    RangeState head = anew ? entry : states_.with(entry, known.head, known.stored);
    // The head is proved each time: values from outside of the loop may be others than they were.
    Pass pass = climb(inst, entry, head, known);
    narrow(inst, entry, head, pass, known);
    known.entry = entry;
    known.head = std::move(head);
    state_ = std::move(pass.done);
    block(inst.regions.back());
    state_ = states_.join(state_, pass.broke);
  }

  // Raises the head to one that holds in every iteration; the last walk is from there.
  Pass climb(const Inst& inst, const RangeState& entry, RangeState& head, KnownLoop& known) {
    for (int round = 0; known.walks_left(); ++round) {
      Pass pass = iterate(inst, head);
      RangeState reached = states_.join(head, pass.next);
      if (RangeStates::covers(head, reached)) return pass;
      head = round < kRoundsBeforeWidening ? std::move(reached) : states_.widen(head, reached);
      ++known.extra_walks;
    }
    head = entry;
    states_.forget(head, known.stored);
    return iterate(inst, head);
  }

  // What reaches a head that holds does so from outside or at the end of an iteration: only that
  // much holds as well.
  void narrow(const Inst& inst, const RangeState& entry, RangeState& head, Pass& pass,
              KnownLoop& known) {
    if (!known.walks_left()) return;
    RangeState narrowed = states_.join(entry, pass.next);
    if (RangeStates::covers(narrowed, head)) return;
    ++known.extra_walks;
    head = std::move(narrowed);
    pass = iterate(inst, head);
  }

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
  std::unordered_map<uint32_t, KnownLoop> loops_;  // by Inst::id
  size_t visits_ = 0;
};

}  // namespace

Ranges find_ranges(const ir::Function& f, const SlotSet& live_at_entry) {
  return Walk(f).take(live_at_entry);
}

}  // namespace cuda_device::analysis
