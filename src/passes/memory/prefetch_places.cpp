#include "passes/memory/prefetch_places.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/tree.h"
#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::passes {
namespace {

using analysis::Tree;
using ir::Block;
using ir::Inst;
using ir::Op;

constexpr int64_t kThreadsAhead = 32;
constexpr size_t kMostToPrefetch = 32;  // that compute a place

bool sets_slot(const Inst& i, int64_t slot) {
  const auto sets = [&](const Inst& x) { return ir::sets_slot(x.op) && x.imm == slot; };
  return sets(i) || ir::any_inside(i, sets);
}

// The code in front of an anchor: an atomic operation, or the outermost loop around it.
class PlaceAhead {
 public:
  PlaceAhead(ir::Function& f, const Tree& tree, const Inst& anchor)
      : f_(f), tree_(tree), anchor_(anchor), b_(f, code_) {
    b_.set_span(anchor.span);
  }

  // The prefetch for an access; nothing where it is not known, or where no data decides it.
  std::vector<Inst*> of(const Inst& access) {
    Inst* index = ahead(*access.operands[1]);
    if (!index || !loads_ || copies_.size() > kMostToPrefetch) return {};
    b_.typed(Op::Prefetch, ir::Type::none(), {ahead(*access.operands[0]), index});
    return std::move(code_.insts);
  }

 private:
  // What the value is for the thread ahead when it comes to the anchor. Null: not known.
  Inst* ahead(const Inst& value) {
    const auto [found, is_new] = copies_.try_emplace(&value, nullptr);
    if (!is_new) return found->second;
    Inst* made = make(value);
    return copies_[&value] = made;
  }

  Inst* make(const Inst& value) {
    if ((value.op == Op::Tid || value.op == Op::ThreadIdx) && value.imm == 0)
      return b_.op(Op::Add, {b_.op(value.op, {}, 0), b_.const_int(value.type, kThreadsAhead)});
    if (value.op == Op::SlotLoad) {
      const Inst* held = held_by(value);
      return held ? ahead(*held) : nullptr;
    }
    if (ir::is_plain_load(value)) return load(value);
    if (!ir::is_pure(value.op) || value.op == Op::LaneId) return nullptr;
    std::vector<Inst*> operands;
    operands.reserve(value.operands.size());
    for (const Inst* operand : value.operands) operands.push_back(ahead(*operand));
    if (std::ranges::find(operands, nullptr) != operands.end()) return nullptr;
    return b_.typed(value.op, value.type, std::move(operands), value.imm);
  }

  // An element, where there is one: what uses it goes under that condition. It may be another one
  // by the time that it counts: then the prefetch is for nothing.
  Inst* load(const Inst& load) {
    const Inst& array = *load.operands[0];
    if (array.op != Op::Param || array.type.ndim != 1 || load.imm != 0) return nullptr;
    const Inst& wrapped = *load.operands[1];
    Inst* place = ahead(wrapped.op == Op::Wrap ? *wrapped.operands[0] : wrapped);
    if (!place) return nullptr;
    if (place->type != ir::kI64) place = b_.typed(Op::Convert, ir::kI64, {place});
    Inst* from = ahead(array);
    Inst* holds = b_.op(Op::And, {b_.op(Op::Ge, {place, b_.const_int(ir::kI64, 0)}),
                                  b_.op(Op::Lt, {place, b_.op(Op::Extent, {from}, 0)})});
    b_.set_block(b_.control(Op::If, {holds}, 2)->regions[0]);
    loads_ = true;
    return b_.typed(Op::Load, load.type, {from, place});
  }

  // What the variable holds: for a load in the anchor, in the first iteration.
  const Inst* held_by(const Inst& load) const {
    const Inst* at = &load;
    for (const Inst* around = &load; around; around = tree_.position(*around).parent)
      if (around == &anchor_) at = around;
    while (true) {
      const analysis::TreePosition position = tree_.position(*at);
      const Block& block = position.parent ? position.parent->regions[position.region] : f_.body;
      auto before = std::ranges::find(block.insts, at);
      while (before != block.insts.begin()) {
        const Inst& i = **--before;
        if (i.op == Op::SlotStore && i.imm == load.imm) return i.operands[0];
        if (sets_slot(i, load.imm)) return nullptr;
      }
      at = position.parent;
      if (!at || (at->op == Op::For && at->imm == load.imm)) return nullptr;
    }
  }

  ir::Function& f_;
  const Tree& tree_;
  const Inst& anchor_;
  Block code_;
  ir::Builder b_;
  std::unordered_map<const Inst*, Inst*> copies_;
  bool loads_ = false;
};

bool is_far(const ir::Function& f, const Inst& i) {
  const auto access = ir::access_of(i);
  if (!access || !access->atomic || !access->array || access->indices.size() != 1) return false;
  const Inst& array = *access->array;
  return array.op == Op::Param && f.params[static_cast<size_t>(array.imm)].facts.beyond_cache;
}

const Inst& outermost_loop(const Inst& i, const Tree& tree) {
  const Inst* found = &i;
  for (const Inst* at = tree.position(i).parent; at; at = tree.position(*at).parent)
    if (analysis::is_loop(*at)) found = at;
  return *found;
}

using Insertions = std::unordered_map<const Inst*, std::vector<Inst*>>;

void insert(Block& b, const Insertions& before) {
  std::vector<Inst*> all;
  for (Inst* i : b.insts) {
    for (Block& inside : i->regions) insert(inside, before);
    if (const auto found = before.find(i); found != before.end())
      all.insert(all.end(), found->second.begin(), found->second.end());
    all.push_back(i);
  }
  b.insts = std::move(all);
}

}  // namespace

// One for each array in front of one place: what comes after its first access is near it, or is
// found by what that gives.
void prefetch_places(ir::Function& f) {
  const auto& block = f.launch.block;
  if (!f.launch.has_block() || block[1] != 1 || block[2] != 1) return;
  const Tree tree(f);
  Insertions before;
  std::set<std::pair<const Inst*, int64_t>> seen;
  ir::for_each_inst(f.body, [&](const Inst& i) {
    if (!is_far(f, i)) return;
    const Inst& anchor = outermost_loop(i, tree);
    if (!seen.emplace(&anchor, i.operands[0]->imm).second) return;
    std::vector<Inst*> code = PlaceAhead(f, tree, anchor).of(i);
    if (!code.empty()) before[&anchor] = std::move(code);
  });
  insert(f.body, before);
}

}  // namespace cuda_device::passes
