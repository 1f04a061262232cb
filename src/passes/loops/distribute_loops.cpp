#include "passes/loops/distribute_loops.h"

#include <algorithm>

#include "ir/clone.h"
#include "ir/effects.h"
#include "support/disjoint_sets.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

// Carried values may take this share of the registers; the rest is for temporaries.
constexpr uint32_t kShareOfRegisters = 2;
// The loops together may be so many times the size of the one.
constexpr size_t kMostGrowth = 2;

// Whether it is about as cheap to compute again as to load from memory. A division by a constant is
// a product.
bool is_cheap(const Inst& i) {
  const bool division = i.op == Op::FloorDiv || i.op == Op::FloorMod;
  return !ir::is_pure(i.op) || !ir::is_costly(i.op) || (division && i.operands[1]->op == Op::Const);
}

// The body must not store to the counter, which each of the loops sets anew.
bool only_computes_and_loads(const Inst& loop) {
  const Block& body = loop.regions[0];
  return std::all_of(body.insts.begin(), body.insts.end(), [&](const Inst* i) {
    if (i->op == Op::SlotStore) return i->imm != loop.imm;
    return ir::may_repeat(*i);
  });
}

// The slots that an iteration stores to, in the order of its stores, in groups that do not read
// each other's.
class Groups {
 public:
  struct Group {
    std::vector<size_t> stores;  // their indices in the body
    uint32_t bytes = 0;
  };

  explicit Groups(const Inst& loop) : body_(loop.regions[0]) {
    index_.reserve(body_.insts.size());
    for (size_t k = 0; k < body_.insts.size(); ++k) index_[body_.insts[k]] = k;
    for (size_t k = 0; k < body_.insts.size(); ++k)
      if (body_.insts[k]->op == Op::SlotStore) group_of(slot(k));
    united_ = DisjointSets(slots_.size());
    for (size_t k = 0; k < body_.insts.size(); ++k)
      if (body_.insts[k]->op == Op::SlotStore) join_what_it_reads(k);
  }

  std::vector<Group> take(const ir::Function& f) {
    std::vector<Group> groups(slots_.size());
    for (size_t k = 0; k < body_.insts.size(); ++k) {
      if (body_.insts[k]->op != Op::SlotStore) continue;
      groups[united_.find(slots_[slot(k)])].stores.push_back(k);
    }
    for (const auto& [slot, group] : slots_)
      groups[united_.find(group)].bytes += static_cast<uint32_t>(f.slots[slot].type.bits() + 7) / 8;
    std::erase_if(groups, [](const Group& g) { return g.stores.empty(); });
    std::sort(groups.begin(), groups.end(),
              [](const Group& x, const Group& y) { return x.stores[0] < y.stores[0]; });
    return groups;
  }

  // The instructions that the stores need, by index in the body.
  std::vector<bool> needed(const std::vector<size_t>& stores) const {
    std::vector<bool> wanted(body_.insts.size());
    std::vector<size_t> open = stores;
    while (!open.empty()) {
      const size_t k = open.back();
      open.pop_back();
      if (wanted[k]) continue;
      wanted[k] = true;
      for (const Inst* operand : body_.insts[k]->operands) {
        const auto found = index_.find(operand);
        if (found != index_.end()) open.push_back(found->second);
      }
    }
    return wanted;
  }

 private:
  size_t slot(size_t k) const { return static_cast<size_t>(body_.insts[k]->imm); }
  void group_of(size_t slot) { slots_.try_emplace(slot, static_cast<uint32_t>(slots_.size())); }

  void join_what_it_reads(size_t store) {
    const std::vector<bool> wanted = needed({store});
    for (size_t k = 0; k < wanted.size(); ++k) {
      if (!wanted[k] || body_.insts[k]->op != Op::SlotLoad) continue;
      const auto read = slots_.find(slot(k));
      if (read != slots_.end()) united_.unite(read->second, slots_.at(slot(store)));
    }
  }

  const Block& body_;
  std::unordered_map<const Inst*, size_t> index_;
  std::unordered_map<size_t, uint32_t> slots_;  // stored to → a group
  DisjointSets united_;                         // groups
};

class Distributor {
 public:
  Distributor(ir::Function& f, const Lanes& lanes)
      : f_(f), room_(lanes.register_bytes / kShareOfRegisters) {}

  void block(Block& b) {
    std::vector<Inst*> rebuilt;
    for (Inst* inst : b.insts) {
      for (Block& inside : inst->regions) block(inside);
      const bool may =
          inst->op == Op::For && inst->regions[1].empty() && only_computes_and_loads(*inst);
      if (!may || !distribute(*inst, rebuilt)) rebuilt.push_back(inst);
    }
    b.insts = std::move(rebuilt);
  }

 private:
  using Part = std::vector<bool>;  // by index in the body: what is in this loop

  bool distribute(const Inst& loop, std::vector<Inst*>& rebuilt) {
    Groups groups(loop);
    const std::vector<Part> parts = pack(groups, groups.take(f_));
    if (parts.size() < 2 || !is_worthwhile(loop.regions[0], parts)) return false;
    for (const Part& part : parts) rebuilt.push_back(loop_of(loop, part));
    return true;
  }

  std::vector<Part> pack(const Groups& groups, const std::vector<Groups::Group>& all) const {
    std::vector<Part> parts;
    std::vector<size_t> stores;
    uint32_t bytes = 0;
    for (const Groups::Group& group : all) {
      if (bytes + group.bytes > room_ && !stores.empty()) {
        parts.push_back(groups.needed(stores));
        stores.clear();
        bytes = 0;
      }
      stores.insert(stores.end(), group.stores.begin(), group.stores.end());
      bytes += group.bytes;
    }
    if (!stores.empty()) parts.push_back(groups.needed(stores));
    return parts;
  }

  static bool is_worthwhile(const Block& body, const std::vector<Part>& parts) {
    size_t together = 0, before = 0;
    for (size_t k = 0; k < body.insts.size(); ++k) {
      const auto copies =
          std::count_if(parts.begin(), parts.end(), [&](const Part& part) { return part[k]; });
      if (copies > 1 && !is_cheap(*body.insts[k])) return false;
      together += static_cast<size_t>(copies);
      before += copies > 0;
    }
    return together <= kMostGrowth * before;
  }

  Inst* loop_of(const Inst& loop, const Part& part) {
    Inst* made = f_.create(loop.op, loop.type, loop.span);
    made->imm = loop.imm;
    made->operands = loop.operands;
    made->regions.resize(loop.regions.size());
    ir::Copies copies;
    const std::vector<Inst*>& body = loop.regions[0].insts;
    for (size_t k = 0; k < body.size(); ++k)
      if (part[k]) made->regions[0].insts.push_back(clone(f_, *body[k], copies));
    return made;
  }

  ir::Function& f_;
  uint32_t room_;  // bytes of a lane
};

}  // namespace

void distribute_loops(ir::Function& f, const Lanes& lanes) { Distributor(f, lanes).block(f.body); }

}  // namespace cuda_device::passes
