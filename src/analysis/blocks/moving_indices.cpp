#include "analysis/blocks/moving_indices.h"

#include <algorithm>
#include <utility>

#include "analysis/blocks/carried_slots.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {

using ir::Inst;
using ir::Op;

MovingIndices::MovingIndices(const ir::Function& f, const Tree& tree, const Inst& loop,
                             Predicate reads_others, Predicate takes_numbers)
    : tree_(tree),
      loop_(loop),
      reads_others_(std::move(reads_others)),
      takes_numbers_(std::move(takes_numbers)),
      inside_(f.inst_count()),
      stores_(f.slots.size()),
      counted_by_(f.slots.size()),
      moving_(f.slots.size()) {
  ir::for_each_inside(loop, [&](const Inst& i) {
    inside_[i.id] = true;
    if (i.op == Op::SlotStore) stores_[static_cast<size_t>(i.imm)].push_back(&i);
    if (i.op == Op::For) counted_by_[static_cast<size_t>(i.imm)] = &i;
  });
  const CarriedSlots all = carried_slots(f, tree, loop, [](const Inst&) { return true; });
  carried_ = all.carried;
  for (size_t i = 0; i < moving_.size(); ++i)
    moving_[i] = carried_[i] && all.always_stored[i] && !stores_[i].empty();
  drop_those_that_stay(f);
}

// One that does not move may be what others were thought to move by.
void MovingIndices::drop_those_that_stay(const ir::Function& f) {
  for (bool dropped = std::ranges::count(moving_, true) != 0; dropped;) {
    const std::vector<bool> stored = carried_slots(f, tree_, loop_, [this](const Inst& store) {
                                       return counts(store);
                                     }).always_stored;
    dropped = false;
    for (size_t i = 0; i < moving_.size(); ++i) {
      if (!moving_[i] || stored[i]) continue;
      moving_[i] = false;
      dropped = true;
    }
    known_ = {};
    target_ = -1;
  }
}

bool MovingIndices::moves(const Inst& index) {
  const Way found = way(index, false);
  return found == Way::Computed || found == Way::Followed;
}

// Whether the store is a step of its variable.
bool MovingIndices::counts(const Inst& store) {
  if (!moving_[static_cast<size_t>(store.imm)]) return false;
  if (std::exchange(target_, store.imm) != store.imm) known_[true].clear();
  const Way found = way(*store.operands[0], true);
  if (found == Way::Stays) return decided_without_reading(store);
  return found != Way::Told;
}

// `if slot + 1 == n: slot = 0`, beside one that steps.
bool MovingIndices::decided_without_reading(const Inst& store) {
  const Inst* const branch = tree_.position(store).parent;
  if (!branch || branch == &loop_ || branch->op != Op::If) return false;
  return way(*branch->operands[0], false) == Way::Stays;
}

// `copied`: as it is, into the variable that is looked at; else something is computed of it.
MovingIndices::Way MovingIndices::way(const Inst& value, bool copied) {
  if (!inside_[value.id]) return Way::Stays;
  const auto [known, first] = known_[copied].try_emplace(&value, Way::Stays);  // of itself, too
  return first ? known->second = find_way(value, copied) : known->second;
}

MovingIndices::Way MovingIndices::find_way(const Inst& value, bool copied) {
  if (value.op == Op::SlotLoad) return of_slot(value, copied);
  if (value.op == Op::Select) return of_select(value, copied);
  if (value.op == Op::Convert) return way(*value.operands[0], copied);
  if (takes_numbers_(value)) return Way::Computed;
  const Way found = of_operands(value);
  if (reads_others_(value))
    return found == Way::Computed || found == Way::Followed ? Way::Followed : Way::Told;
  if (!value.type.is_bool()) return found;
  return found == Way::Followed || found == Way::Told ? Way::Told : Way::Stays;
}

// `i + length[i]`, too, is another element only if the length is not zero.
MovingIndices::Way MovingIndices::of_operands(const Inst& i) {
  Way all = Way::Stays;
  for (const Inst* operand : i.operands) {
    const Way one = way(*operand, false);
    if (one == Way::Stays || one == all) continue;
    all = all == Way::Stays ? one : Way::Told;
  }
  return all;
}

MovingIndices::Way MovingIndices::of_select(const Inst& select, bool copied) {
  const bool told = way(*select.operands[0], false) == Way::Told;
  const Way a = way(*select.operands[1], copied), b = way(*select.operands[2], copied);
  if (a == Way::Told || b == Way::Told) return Way::Told;
  if (told && (a == Way::Stays || b == Way::Stays)) return Way::Told;
  return std::max(a, b);
}

// Where branches that reads decide store it, all that it may get has to move.
MovingIndices::Way MovingIndices::of_slot(const Inst& load, bool copied) {
  const auto slot = static_cast<size_t>(load.imm);
  if (moving_[slot]) return copied && load.imm == target_ ? Way::Stays : Way::Computed;
  if (counted_by_[slot]) return of_operands(*counted_by_[slot]);
  Way all = Way::Stays;
  bool stays = false, told = false;
  for (const Inst* store : stores_[slot]) {
    const Way one = way(*store->operands[0], copied);
    all = std::max(all, one);
    stays |= one == Way::Stays;
    told |= is_told(*store);
  }
  if ((stays && told) || (carried_[slot] && all != Way::Stays)) return Way::Told;
  return all;
}

// Whether a branch around it is taken by what was read.
bool MovingIndices::is_told(const Inst& store) {
  for (const Inst* at = tree_.position(store).parent; at && at != &loop_;
       at = tree_.position(*at).parent)
    if (at->op == Op::If && way(*at->operands[0], false) == Way::Told) return true;
  return false;
}

}  // namespace cuda_device::analysis
