#include "passes/memory/array_access.h"

#include <algorithm>

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Effect;
using ir::Inst;
using ir::Op;

// Pairs of instructions that are compared for one question; indices are smaller.
constexpr int kMostPairs = 64;

class Comparison {
 public:
  explicit Comparison(const SameLoad& same_load) : same_load_(same_load) {}

  bool same(const Inst& a, const Inst& b) {
    if (&a == &b) return true;
    if (pairs_left_ == 0) return false;  // and so is every pair above
    --pairs_left_;
    const bool alike = a.op == b.op && a.type == b.type && a.imm == b.imm &&
                       a.operands.size() == b.operands.size();
    if (!alike) return false;
    if (a.op == Op::SlotLoad) return same_load_(a, b);
    if (ir::info(a.op).effect != Effect::Pure) return false;
    for (size_t k = 0; k < a.operands.size(); ++k)
      if (!same(*a.operands[k], *b.operands[k])) return false;
    return true;
  }

 private:
  const SameLoad& same_load_;
  int pairs_left_ = kMostPairs;
};

const Inst& whole(const Inst& array) {
  return array.op == Op::View ? whole(*array.operands[0]) : array;
}

// Of the instruction and those in its regions.
bool any_of_all(const Inst& inst, const std::function<bool(const Inst&)>& holds) {
  if (holds(inst)) return true;
  return std::ranges::any_of(inst.regions, [&](const Block& region) {
    return std::ranges::any_of(region.insts,
                               [&](const Inst* inside) { return any_of_all(*inside, holds); });
  });
}

}  // namespace

bool same_value(const Inst& a, const Inst& b, const SameLoad& same_load) {
  return Comparison(same_load).same(a, b);
}
bool same_value(const Inst& a, const Inst& b) {
  return same_value(a, b, [](const Inst&, const Inst&) { return false; });
}

bool may_overlap(const ir::Function& f, const Inst& a, const Inst& b) {
  if (a.type.space != b.type.space) return false;
  const Inst &x = whole(a), &y = whole(b);
  if (x.op != y.op) return false;  // own arrays, dynamic shared memory: different memory
  if (x.imm == y.imm || x.op == Op::Array) return x.imm == y.imm;
  const auto apart = [&](const Inst& p) {
    return p.op == Op::Param && f.params[static_cast<size_t>(p.imm)].facts.no_alias;
  };
  return !apart(x) && !apart(y);
}

bool may_change(const ir::Function& f, const Inst& inst, const Inst& array) {
  return any_of_all(inst, [&](const Inst& i) {
    const Effect effect = ir::info(i.op).effect;
    if (i.op == Op::Store) return may_overlap(f, *i.operands[0], array);
    return effect == Effect::Write || effect == Effect::Barrier;
  });
}

bool may_move_behind(const ir::Function& f, const Inst& store, const Inst& inst) {
  const Inst& array = *store.operands[0];
  return !any_of_all(inst, [&](const Inst& i) {
    switch (ir::info(i.op).effect) {
      case Effect::Pure:
      case Effect::Slot:
        return false;
      case Effect::Read:
      case Effect::Write:
        return (i.op != Op::Load && i.op != Op::Store) || may_overlap(f, *i.operands[0], array);
      case Effect::Control:
        return i.op != Op::If;
      case Effect::Barrier:
      case Effect::Report:
        return true;
    }
    return true;
  });
}

}  // namespace cuda_device::passes
