#include "passes/memory/sink_stores.h"

#include <algorithm>

#include "analysis/analysis.h"
#include "ir/clone.h"
#include "ir/effects.h"
#include "ir/visitor.h"
#include "passes/memory/same_value.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

Inst* last_store(const Block& side) {
  const auto found = std::ranges::find(side.insts.rbegin(), side.insts.rend(), Op::Store,
                                       [](const Inst* inst) { return inst->op; });
  return found == side.insts.rend() ? nullptr : *found;
}

// Not control with a barrier: the stored value would live across it.
bool may_be_sunk(const Inst& inst) {
  return inst.op == Op::If && last_store(inst.regions[0]) && last_store(inst.regions[1]) &&
         !ir::holds_barrier(inst);
}

class StoreSinker {
 public:
  explicit StoreSinker(ir::Function& f) : f_(f), analysis_(analysis::analyse(f)) {}

  void block(Block& b) {
    std::vector<Inst*> rebuilt;
    for (Inst* inst : b.insts) {
      for (Block& inside : inst->regions) block(inside);
      std::vector<Inst*> sunk;
      if (inst->op == Op::If && analysis_.divergent[inst->id]) {
        while (may_be_sunk(*inst) && sink(*inst, rebuilt, sunk)) {
        }
      }
      rebuilt.push_back(inst);
      rebuilt.insert(rebuilt.end(), sunk.begin(), sunk.end());
    }
    b.insts = std::move(rebuilt);
  }

 private:
  // Sinks the last stores of both sides. `sunk` are those sunk already.
  bool sink(Inst& branch, std::vector<Inst*>& before, std::vector<Inst*>& sunk) {
    Inst &yes = *last_store(branch.regions[0]), &no = *last_store(branch.regions[1]);
    if (!may_be_last(yes, branch.regions[0]) || !may_be_last(no, branch.regions[1])) return false;
    if (!same_place(branch, yes, no)) return false;
    Inst* joined = f_.create(Op::Store, {}, yes.span);
    joined->operands = yes.operands;
    joined->imm = yes.imm;
    joined->operands.pop_back();
    ir::Copies moved;
    for (size_t k = 0; k < joined->operands.size(); ++k)
      joined->operands[k] = in_front(*joined->operands[k], *no.operands[k], moved, before);
    Inst* value = f_.create(Op::SlotLoad, yes.operands.back()->type, yes.span);
    value->imm = static_cast<int64_t>(f_.slots.size());
    f_.slots.push_back({"", value->type});
    joined->operands.push_back(value);
    for (Inst* store : {&yes, &no}) {
      store->op = Op::SlotStore;
      store->imm = value->imm;
      store->operands = {store->operands.back()};
    }
    sunk.insert(sunk.begin(), {value, joined});
    return true;
  }

  bool may_be_last(const Inst& store, const Block& side) const {
    return std::all_of(std::ranges::find(side.insts, &store) + 1, side.insts.end(),
                       [&](const Inst* inst) { return ir::may_cross_all(f_, store, *inst); });
  }

  // Whether all operands but the value are the same.
  static bool same_place(const Inst& branch, const Inst& yes, const Inst& no) {
    const auto same = [&](const Inst* a, const Inst* b) {
      return same_value(*a, *b, [&](const Inst& x, const Inst& y) {
        return is_as_before(branch.regions[0], x) && is_as_before(branch.regions[1], y);
      });
    };
    if (yes.imm != no.imm || yes.operands.back()->type != no.operands.back()->type) return false;
    return std::equal(yes.operands.begin(), yes.operands.end() - 1, no.operands.begin(),
                      no.operands.end() - 1, same);
  }

  // Whether the load stands in this side, which never sets the slot: it has the value from before.
  static bool is_as_before(const Block& side, const Inst& load) {
    const auto sets = [&](const Inst& i) { return ir::sets_slot(i.op) && i.imm == load.imm; };
    return ir::any_inst(side, [&](const Inst& i) { return &i == &load; }) &&
           !ir::any_inst(side, sets);
  }

  // Computes before the if what both sides compute.
  Inst* in_front(Inst& yes, Inst& no, ir::Copies& moved, std::vector<Inst*>& before) {
    if (&yes == &no) return &yes;
    if (const auto known = moved.find(&yes); known != moved.end()) return known->second;
    for (size_t k = 0; k < yes.operands.size(); ++k)
      in_front(*yes.operands[k], *no.operands[k], moved, before);
    before.push_back(clone(f_, yes, moved));
    return before.back();
  }

  ir::Function& f_;
  const analysis::Analysis analysis_;
};

}  // namespace

void sink_stores(ir::Function& f) {
  if (ir::any_inst(f.body, may_be_sunk)) StoreSinker(f).block(f.body);
}

}  // namespace cuda_device::passes
