#include "passes/simplify/dce.h"

#include <algorithm>

#include "ir/effects.h"
#include "ir/visitor.h"
#include "passes/rewrite.h"
#include "passes/simplify/tail_jumps.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Function;
using ir::Inst;
using ir::Op;

bool is_zero(const Inst& inst) { return inst.op == Op::Const && !inst.imm; }

// How many threads or blocks there are on some axes: never none, though 2**32 of them are 0 in 32
// bits.
bool is_size_of_launch(const Inst& inst) {
  switch (inst.op) {
    case Op::BlockDim:
    case Op::GridDim:
    case Op::GridSize:
      return true;
    case Op::Mul:
    case Op::Convert:
      return std::ranges::all_of(inst.operands,
                                 [](const Inst* part) { return is_size_of_launch(*part); });
    default:
      return false;
  }
}

// One walk, last instruction first: what only dead instructions use is dead when it is reached.
class Sweep {
 public:
  explicit Sweep(const Function& f) : uses_(count_uses(f)), loaded_(loaded_slots(f)) {}

  bool changed() const { return changed_; }

  void block(Block& b) {
    std::vector<Inst*> kept;  // last first
    for (auto at = b.insts.rbegin(); at != b.insts.rend(); ++at) {
      Inst& inst = **at;
      std::for_each(inst.regions.rbegin(), inst.regions.rend(), [&](Block& r) { block(r); });
      if (is_dead(inst)) {
        remove(inst);
      } else if (inst.op == Op::Scope && !is_left_by_jump(inst)) {
        flatten(inst, kept);
      } else {
        kept.push_back(&inst);
      }
    }
    b.insts.assign(kept.rbegin(), kept.rend());
  }

 private:
  bool is_dead(const Inst& inst) const {
    // A called function returns what its caller ignores too, and is given what it ignores.
    if (crosses_call(inst)) return false;
    if (ir::may_remove(inst)) return uses_[inst.id] == 0;
    if (inst.op == Op::SlotStore) return !is_loaded(inst);
    if (inst.op == Op::Check) return holds(*inst.operands[0]);
    return is_dead_control(inst);
  }

  static bool holds(const Inst& condition) {
    if (condition.op == Op::Const) return condition.imm != 0;
    const bool compares = condition.op == Op::Ne && is_zero(*condition.operands[1]);
    return compares && is_size_of_launch(*condition.operands[0]);
  }

  bool is_loaded(const Inst& inst) const { return loaded_[static_cast<size_t>(inst.imm)]; }

  // A while always stays, for its yield: whether it ends is part of what it does.
  bool is_dead_control(const Inst& inst) const {
    if (inst.regions.empty()) return false;
    if (inst.op == Op::For && is_loaded(inst)) return false;
    return std::all_of(inst.regions.begin(), inst.regions.end(),
                       [](const Block& region) { return region.empty(); });
  }

  void remove(const Inst& inst) {
    for (const Inst* operand : inst.operands) --uses_[operand->id];
    changed_ = true;
  }

  void flatten(Inst& scope, std::vector<Inst*>& kept) {
    const std::vector<Inst*> body = body_without_scope(scope);
    kept.insert(kept.end(), body.rbegin(), body.rend());
    changed_ = true;
  }

  std::vector<uint32_t> uses_;
  const std::vector<bool> loaded_;
  bool changed_ = false;
};

// Keeps those of `table` that some instruction names by its immediate, and renumbers.
template <class Entry>
void remove_unnamed(Function& f, std::vector<Entry>& table, ir::ImmKind kind) {
  std::vector<bool> named(table.size());
  const auto names = [kind](const Inst& inst) { return ir::info(inst.op).imm == kind; };
  ir::for_each_inst(f.body, [&](const Inst& inst) {
    if (names(inst)) named[static_cast<size_t>(inst.imm)] = true;
  });
  std::vector<int64_t> number(table.size());
  std::vector<Entry> kept;
  for (size_t i = 0; i < table.size(); ++i) {
    number[i] = static_cast<int64_t>(kept.size());
    if (named[i]) kept.push_back(std::move(table[i]));
  }
  table = std::move(kept);
  ir::for_each_inst(f.body, [&](Inst& inst) {
    if (names(inst)) inst.imm = number[static_cast<size_t>(inst.imm)];
  });
}

// What is after code that never falls through is never run.
void cut_unreachable(Block& b) {
  for (size_t i = 0; i < b.insts.size(); ++i) {
    for (Block& region : b.insts[i]->regions) cut_unreachable(region);
    if (i + 1 < b.insts.size() && never_falls_through(*b.insts[i])) b.insts.resize(i + 1);
  }
}

bool sweep(Function& f) {
  Sweep s(f);
  s.block(f.body);
  return s.changed();
}

}  // namespace

void dce(Function& f) {
  cut_unreachable(f.body);
  // A removed jump or load may make a scope or a slot dead, and so on.
  while (remove_tail_jumps(f) || sweep(f)) {
  }
  remove_unnamed(f, f.slots, ir::ImmKind::Slot);
  if (f.has_calls()) return;  // other functions of the module name what this one does not
  remove_unnamed(f, f.arrays, ir::ImmKind::Array);
  remove_unnamed(f, f.failures, ir::ImmKind::Failure);
  remove_unnamed(f, f.formats, ir::ImmKind::Format);
}

}  // namespace cuda_device::passes
