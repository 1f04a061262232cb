#include "analysis/region_slots.h"

#include <algorithm>

#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

bool stores(const Inst& i) { return i.op == Op::SlotStore || i.op == Op::For; }

// f(instruction, number of the one of Region::insts() that it is, or that holds it)
template <class F>
void for_each_inst(const Region& region, F&& f) {
  for (uint32_t at = 0; at < region.insts().size(); ++at) {
    f(*region.insts()[at], at);
    for (const ir::Block& inside : region.insts()[at]->regions)
      ir::for_each_inst(inside, [&](const Inst& i) { f(i, at); });
  }
}

class Crossing {
 public:
  Crossing(const ir::Function& f, const BlockLevel& level)
      : f_(f), level_(level), crosses_(f.slots.size()), named_in_(f.slots.size()) {
    block(f.body);
  }
  SlotSet take() { return std::move(crosses_); }

 private:
  void block(const ir::Block& b) {
    for_each_part(
        b, level_, [&](const Region& r) { region(r); },
        [&](const Inst& i) {
          if (i.op == Op::For) crosses_[static_cast<size_t>(i.imm)] = true;
          operands(i);
          for (const ir::Block& inside : i.regions) block(inside);
        });
    if (!b.insts.empty() && b.insts.back()->op == Op::Yield) operands(*b.insts.back());
  }

  void operands(const Inst& i) {
    for (const Inst* operand : i.operands)
      if (operand->op == Op::SlotLoad) crosses_[static_cast<size_t>(operand->imm)] = true;
  }

  void region(const Region& r) {
    ++number_;
    const SlotSet live = live_before(f_, r.insts(), SlotSet(crosses_.size()));
    for (size_t s = 0; s < live.size(); ++s) crosses_[s] = crosses_[s] || live[s];
    for_each_inst(r, [&](const Inst& i, uint32_t) {
      if (!stores(i) && i.op != Op::SlotLoad) return;
      uint32_t& named_in = named_in_[static_cast<size_t>(i.imm)];
      if (named_in != 0 && named_in != number_) crosses_[static_cast<size_t>(i.imm)] = true;
      named_in = number_;
    });
  }

  const ir::Function& f_;
  const BlockLevel& level_;
  SlotSet crosses_;
  std::vector<uint32_t> named_in_;  // by slot: a region
  uint32_t number_ = 0;
};

}  // namespace

SlotSet crossing_slots(const ir::Function& f, const BlockLevel& level) {
  return Crossing(f, level).take();
}

RegionSlots slots_of(const ir::Function& f, const Region& region, const SlotSet& crossing) {
  constexpr uint32_t kNever = ~0U;
  const size_t slots = crossing.size(), insts = region.insts().size();
  RegionSlots r;
  r.in = live_before(f, region.insts(), crossing);
  r.out.resize(slots);
  std::vector<uint32_t> first_named(slots, kNever), last_stored(slots, kNever);
  for_each_inst(region, [&](const Inst& i, uint32_t at) {
    r.returns = r.returns || i.op == Op::Return;
    r.effects = r.effects || stores(i) || i.op == Op::Store || i.op == Op::Return;
    if (!stores(i) && i.op != Op::SlotLoad) return;
    const auto slot = static_cast<size_t>(i.imm);
    first_named[slot] = std::min(first_named[slot], at);
    if (stores(i)) last_stored[slot] = at;
  });
  r.in_before.resize(insts);
  r.out_after.resize(insts);
  for (uint32_t s = 0; s < slots; ++s) {
    r.in[s] = r.in[s] && crossing[s] && first_named[s] != kNever;
    r.out[s] = crossing[s] && last_stored[s] != kNever;
    if (r.in[s]) r.in_before[first_named[s]].push_back(s);
    if (r.out[s]) r.out_after[last_stored[s]].push_back(s);
  }
  return r;
}

}  // namespace cuda_device::analysis
