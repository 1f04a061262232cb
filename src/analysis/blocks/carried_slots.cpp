#include "analysis/blocks/carried_slots.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;
using Counts = std::function<bool(const Inst&)>;

struct Slot {
  bool stored = false;   // by all paths from the beginning of the iteration to here
  bool counted = false;  // by a store that counts
};

// By slot; none: no path comes here.
using Stored = std::optional<std::vector<Slot>>;

void merge(Stored& into, const Stored& other) {
  if (!other) return;
  if (!into) {
    into = other;
    return;
  }
  for (size_t i = 0; i < into->size(); ++i) {
    (*into)[i].stored &= (*other)[i].stored;
    (*into)[i].counted &= (*other)[i].counted;
  }
}

struct Ended {
  const Inst* value;
  bool is;
};

// What is asked for whether it holds: the value below negations.
Ended without_negations(const Inst* value, bool is) {
  for (; value->op == Op::Not; value = value->operands[0]) is = !is;
  return {value, is};
}

// The variables each of which alone ends a loop `while not done and …`.
class LastIterations {
 public:
  LastIterations(const Inst& loop, size_t slots) : ends_(slots) {
    if (loop.op != Op::While) return;
    ask(*loop.regions[0].insts.back()->operands[0]);
    ir::for_each_inst(loop.regions[1], [&](const Inst& i) {
      if (i.op == Op::SlotStore) ++ends_[static_cast<size_t>(i.imm)].stores;
    });
    // Whatever comes before it in the iteration.
    for (const Inst* i : loop.regions[1].insts)
      if (i->op == Op::SlotStore && of(*i).stores == 1) of(*i).stored = i->operands[0];
    ir::for_each_inst(loop.regions[1], [&](const Inst& i) {
      if (i.op == Op::SlotStore && !sets_end(i)) of(i).only_ends = false;
    });
  }

  // No store in the loop takes that back.
  bool ends(const Inst& store) const { return of(store).only_ends && sets_end(store); }

  bool ends(const Inst& condition, bool holds) const {
    const auto [value, is] = without_negations(&condition, holds);
    return std::ranges::any_of(ends_, [&](const Variable& v) {
      if (!v.at || !v.stored) return false;
      const bool read = value->op == Op::SlotLoad && &ends_[static_cast<size_t>(value->imm)] == &v;
      if (read) return is == *v.at;
      const auto [stored, end] = without_negations(v.stored, *v.at);
      return stored == value && is == end;
    });
  }

 private:
  struct Variable {
    std::optional<bool> at;        // the loop ends where it is that
    size_t stores = 0;             // in the loop
    const Inst* stored = nullptr;  // by the only one, which each iteration comes to
    bool only_ends = true;         // all of them store what ends it
  };

  void ask(const Inst& condition) {
    if (condition.op == Op::And) {
      for (const Inst* operand : condition.operands) ask(*operand);
      return;
    }
    const auto [value, is] = without_negations(&condition, false);
    if (value->op == Op::SlotLoad) ends_[static_cast<size_t>(value->imm)].at = is;
  }

  Variable& of(const Inst& store) { return ends_[static_cast<size_t>(store.imm)]; }
  const Variable& of(const Inst& store) const { return ends_[static_cast<size_t>(store.imm)]; }
  bool sets_end(const Inst& store) const {
    const Inst& value = *store.operands[0];
    return of(store).at && value.op == Op::Const && (value.imm != 0) == *of(store).at;
  }

  std::vector<Variable> ends_;  // by slot
};

// Goes through one iteration once: what is stored is never unstored, so the beginning of a loop
// inside knows what it did when it was come to.
class Iteration {
 public:
  Iteration(const ir::Function& f, const Tree& tree, const Inst& loop, const Counts& counts)
      : tree_(tree),
        loop_(loop),
        counts_(counts),
        slots_(f.slots.size()),
        last_(loop, slots_),
        carried_(slots_) {}

  CarriedSlots take() {
    Stored round = iteration(loop_, Stored(std::in_place, slots_)).round;
    merge(round, jumps_[&loop_].round);
    CarriedSlots found{std::move(carried_), std::vector<bool>(slots_, true)};
    for (size_t i = 0; round && i < slots_; ++i) found.always_stored[i] = (*round)[i].counted;
    return found;
  }

 private:
  struct Ends {
    Stored round;     // of the body
    Stored finished;  // the condition, or the number of iterations, ends the loop
  };
  struct Jumps {
    Stored round;  // by continue
    Stored past;   // by break or leave
  };

  Ends iteration(const Inst& loop, Stored stored) {
    if (loop.op == Op::While) {
      stored = block(loop.regions[0], std::move(stored));
      return {block(loop.regions[1], stored), stored};
    }
    Stored before = stored;
    store(*stored, loop, false);
    return {block(loop.regions[0], std::move(stored)), std::move(before)};
  }

  Stored side(const Inst& branch, size_t region, Stored stored) {
    if (last_.ends(*branch.operands[0], region == 0)) comes_round_no_more(*stored);
    return block(branch.regions[region], std::move(stored));
  }

  static void comes_round_no_more(std::vector<Slot>& slots) {
    for (Slot& slot : slots) slot.counted = true;
  }

  static void store(std::vector<Slot>& slots, const Inst& by, bool counts) {
    Slot& slot = slots[static_cast<size_t>(by.imm)];
    slot.stored = true;
    slot.counted |= counts;
  }

  Stored block(const Block& b, Stored stored) {
    for (const Inst* inst : b.insts) {
      if (!stored) return stored;
      stored = after(*inst, std::move(stored));
    }
    return stored;
  }

  Stored after(const Inst& inst, Stored stored) {
    if (is_loop(inst)) return after_loop(inst, std::move(stored));
    switch (inst.op) {
      case Op::SlotLoad: {
        const auto slot = static_cast<size_t>(inst.imm);
        if (!(*stored)[slot].stored) carried_[slot] = true;
        return stored;
      }
      case Op::SlotStore:
        store(*stored, inst, counts_(inst));
        if (last_.ends(inst)) comes_round_no_more(*stored);
        return stored;
      case Op::If: {
        Stored end = side(inst, 0, stored);
        merge(end, side(inst, 1, std::move(stored)));
        return end;
      }
      case Op::Scope: {
        Stored end = block(inst.regions[0], std::move(stored));
        merge(end, jumps_[&inst].past);
        return end;
      }
      case Op::Continue:
        merge(jumps_[tree_.target(inst)].round, stored);
        return {};
      case Op::Break:
      case Op::Leave:
        merge(jumps_[tree_.target(inst)].past, stored);
        return {};
      case Op::Return:
        return {};
      default:
        return stored;
    }
  }

  Stored after_loop(const Inst& loop, Stored stored) {
    Stored end = iteration(loop, std::move(stored)).finished;
    end = block(loop.regions.back(), std::move(end));
    merge(end, jumps_[&loop].past);
    return end;
  }

  const Tree& tree_;
  const Inst& loop_;
  const Counts& counts_;
  const size_t slots_;
  const LastIterations last_;
  std::vector<bool> carried_;
  std::map<const Inst*, Jumps> jumps_;  // by what they go to
};

}  // namespace

CarriedSlots carried_slots(const ir::Function& f, const Tree& tree, const Inst& loop,
                           const Counts& counts) {
  return Iteration(f, tree, loop, counts).take();
}

}  // namespace cuda_device::analysis
