#include "passes/memory/if_convert_stores.h"

#include <algorithm>

#include "ir/effects.h"
#include "ir/visitor.h"
#include "passes/memory/index_offsets.h"
#include "passes/memory/same_value.h"

namespace cuda_device::passes {
namespace {

using ir::AddressSpace;
using ir::Block;
using ir::Inst;
using ir::Op;

// Operations that all lanes may compute instead of only those that need them.
constexpr int kMostOperations = 8;

// A store to a part of an array, or to the bytes of another type, may meet elements in other ways.
// A bool that is loaded and stored again is a byte that is 0 or 1, whatever it was. Records are
// left out.
bool is_own_element(const Inst& access) {
  const Inst& array = *access.operands[0];
  return array.op == Op::Array && !array.type.has_records() &&
         array.type.scalar() != ScalarKind::Bool;
}

bool may_be_done_always(const Inst& inst) {
  if (ir::is_plain_store(inst)) return is_own_element(inst);
  return ir::may_speculate(inst.op) && !ir::is_costly(inst.op);
}

// Whether the if does nothing but store, and computes little.
bool may_be_converted(const Inst& inst) {
  if (inst.op != Op::If || !inst.regions[1].empty()) return false;
  const std::vector<Inst*>& body = inst.regions[0].insts;
  const auto is_operation = [](const Inst* i) {
    return !ir::is_plain_store(*i) && !i->operands.empty();
  };
  const auto is_store = [](const Inst* i) { return ir::is_plain_store(*i); };
  return std::ranges::any_of(body, is_store) &&
         std::ranges::all_of(body, [](const Inst* i) { return may_be_done_always(*i); }) &&
         std::ranges::count_if(body, is_operation) <= kMostOperations;
}

std::span<Inst* const> indices(const Inst& load) { return std::span(load.operands).subspan(1); }

class Converter {
 public:
  Converter(ir::Function& f, const Lanes& lanes) : f_(f), gangs_(analyse_gangs(f, lanes)) {}

  void block(Block& b) {
    std::vector<Inst*> rebuilt;
    for (Inst* inst : b.insts) {
      for (Block& inside : inst->regions) block(inside);
      if (!may_be_converted(*inst) || !convert(*inst, rebuilt)) rebuilt.push_back(inst);
    }
    b.insts = std::move(rebuilt);
  }

 private:
  bool convert(const Inst& branch, std::vector<Inst*>& before) {
    if (!gangs_[0].divergent[branch.id]) return false;
    std::vector<Inst*> loads;  // by store
    for (const Inst* inst : branch.regions[0].insts) {
      if (!ir::is_plain_store(*inst)) continue;
      Inst* load = loaded_before(*inst, before);
      if (!load || !is_whole_vector(*load)) return false;
      for (const Inst* other : loads)
        if (may_meet(*load, *other)) return false;
      loads.push_back(load);
    }
    auto load = loads.begin();
    for (Inst* inst : branch.regions[0].insts) {
      if (ir::is_plain_store(*inst)) {
        choose(*branch.operands[0], *inst, **load++, before);
      } else {
        before.push_back(inst);
      }
    }
    return true;
  }

  // The load of the element that the store changes, if it has still that value where the
  // instructions end.
  Inst* loaded_before(const Inst& store, const std::vector<Inst*>& insts) const {
    for (auto at = insts.rbegin(); at != insts.rend(); ++at) {
      Inst& inst = **at;
      if (ir::is_plain_load(inst) && same_place(inst, store)) return &inst;
      if (ir::may_change(f_, inst, *store.operands[0])) return nullptr;
    }
    return nullptr;
  }

  static bool same_place(const Inst& load, const Inst& store) {
    return std::equal(load.operands.begin(), load.operands.end(), store.operands.begin(),
                      store.operands.end() - 1,
                      [](const Inst* a, const Inst* b) { return same_value(*a, *b); });
  }

  // Whether no two lanes load one element. What a load's own indices say holds for all lanes that
  // come to the if, not only for those that pass it.
  bool is_whole_vector(const Inst& load) const {
    const Inst* moving = nullptr;
    for (const Inst* index : indices(load)) {
      if (gangs_[0].shape(*index).uniform()) continue;
      if (moving) return false;
      moving = index;
    }
    if (load.operands[0]->type.space == AddressSpace::Local) return !moving;
    return moving && differs_between_lanes(*moving, gangs_);
  }

  bool may_meet(const Inst& a, const Inst& b) const {
    if (!ir::may_overlap(f_, *a.operands[0], *b.operands[0])) return false;
    for (size_t k = 1; k < a.operands.size(); ++k)
      if (differ(*a.operands[k], *b.operands[k], gangs_)) return false;
    return true;
  }

  void choose(Inst& condition, Inst& store, Inst& load, std::vector<Inst*>& before) {
    Inst* value = f_.create(Op::Select, load.type, store.span);
    value->operands = {&condition, store.operands.back(), &load};
    store.operands = load.operands;
    store.operands.push_back(value);
    before.insert(before.end(), {value, &store});
  }

  ir::Function& f_;
  const GangAnalyses gangs_;
};

}  // namespace

void if_convert_stores(ir::Function& f, const Lanes& lanes) {
  if (ir::any_inst(f.body, may_be_converted)) Converter(f, lanes).block(f.body);
}

}  // namespace cuda_device::passes
