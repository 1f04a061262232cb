#include "analysis/memory/nontemporal_stores.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/tree.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

// Values that advance with a loop, so that each iteration has another one. What comes back (a
// remainder, a flag that flips) or stays for some iterations (a quotient) does not count.
class AdvancingValues {
 public:
  using Stores = std::vector<std::vector<const Inst*>>;  // by slot: what sets it
  AdvancingValues(const Inst& loop, const Tree& tree, const Stores& stores)
      : loop_(loop), tree_(tree), stores_(stores) {}

  bool advances(const Inst& value) {
    const auto known = known_.find(&value);
    if (known != known_.end()) return known->second;
    return known_[&value] = find(value);
  }

 private:
  bool find(const Inst& value) {
    switch (value.op) {
      case Op::SlotLoad:
        return slot_advances(value.imm);
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Shl:
      case Op::Neg:
      case Op::Convert:
      case Op::Bitcast:
      case Op::Wrap:
      case Op::Load:
        return std::any_of(value.operands.begin(), value.operands.end(),
                           [&](const Inst* operand) { return advances(*operand); });
      default:
        return false;
    }
  }

  bool slot_advances(int64_t slot) {
    if (loop_.op == Op::For && loop_.imm == slot) return true;
    if (std::find(asked_.begin(), asked_.end(), slot) != asked_.end()) return false;
    asked_.push_back(slot);
    bool any = false, all = true;
    for (const Inst* store : stores_[static_cast<size_t>(slot)]) {
      if (!in_loop(*store)) continue;
      const Inst& value = *store->operands[0];  // of a loop: where it starts
      any = true;
      all = all && (steps(value, slot) || advances(value));
    }
    asked_.pop_back();
    return any && all;
  }

  // Whether the value is the slot's own plus something.
  static bool steps(const Inst& value, int64_t slot) {
    const auto operand = [&](size_t i) { return steps(*value.operands[i], slot); };
    if (value.op == Op::SlotLoad) return value.imm == slot;
    if (value.op == Op::Add) return operand(0) || operand(1);
    if (value.op == Op::Sub || value.op == Op::Convert || value.op == Op::Bitcast)
      return operand(0);
    return false;
  }

  bool in_loop(const Inst& inst) const {
    for (TreePosition p = tree_.position(inst); p.parent; p = tree_.position(*p.parent))
      if (p.parent == &loop_) return in_iteration(p);
    return false;
  }

  const Inst& loop_;
  const Tree& tree_;
  const Stores& stores_;
  std::vector<int64_t> asked_;
  std::unordered_map<const Inst*, bool> known_;
};

class StoreFinder {
 public:
  explicit StoreFinder(const ir::Function& f) : f_(f) {
    for (const ir::Param& p : f.params)
      written_only_.push_back(p.type.is_array() && p.facts.beyond_cache && p.facts.no_alias);
  }

  std::vector<bool> run() {
    std::vector<bool> nontemporal(f_.inst_count());
    // Such stores are in order with nothing, and a fence would have to wait for them.
    if (!any_left() || ir::acquires(f_)) return nontemporal;
    slot_stores_.resize(f_.slots.size());
    ir::for_each_inst(f_.body, [&](const Inst& inst) { note(inst); });
    if (!any_left()) return nontemporal;
    const Tree tree(f_);
    ir::for_each_inst(f_.body, [&](const Inst& inst) {
      nontemporal[inst.id] = ir::is_plain_store(inst) && is_written_only(*inst.operands[0]) &&
                             advances_in_every_loop(inst, tree);
    });
    return nontemporal;
  }

 private:
  bool any_left() const {
    return std::find(written_only_.begin(), written_only_.end(), true) != written_only_.end();
  }

  void note(const Inst& inst) {
    if (ir::sets_slot(inst.op)) slot_stores_[static_cast<size_t>(inst.imm)].push_back(&inst);
    const auto access = ir::access_of(inst);
    if (!access || access->plain_write()) return;
    const Inst* array = access->array ? ir::whole_array(*access->array) : nullptr;
    if (!array)
      written_only_.assign(written_only_.size(), false);
    else if (array->op == Op::Param)
      written_only_[static_cast<size_t>(array->imm)] = false;
  }

  bool is_written_only(const Inst& array) const {
    return array.op == Op::Param && written_only_[static_cast<size_t>(array.imm)];
  }

  bool advances_in_every_loop(const Inst& store, const Tree& tree) const {
    const std::span<Inst* const> indices = ir::access_of(store)->indices;
    for (TreePosition p = tree.position(store); p.parent; p = tree.position(*p.parent)) {
      if (!in_iteration(p)) continue;
      AdvancingValues advances(*p.parent, tree, slot_stores_);
      if (std::ranges::none_of(indices,
                               [&](const Inst* index) { return advances.advances(*index); }))
        return false;
    }
    return true;
  }

  const ir::Function& f_;
  std::vector<bool> written_only_;  // by parameter
  AdvancingValues::Stores slot_stores_;
};

}  // namespace

std::vector<bool> find_nontemporal_stores(const ir::Function& f) { return StoreFinder(f).run(); }

}  // namespace cuda_device::analysis
