#include "analysis/blocks/region_slots.h"

#include "ir/effects.h"

#include <unordered_map>

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

bool stores(const Inst& i) { return ir::sets_slot(i.op); }

class Crossing {
 public:
  Crossing(const ir::Function& f, const BlockLevel& level)
      : level_(level), live_(f), crosses_(f.slots.size()), named_in_(f.slots.size()) {
    block(f.body);
  }
  SlotSet take() { return std::move(crosses_); }

 private:
  void block(const ir::Block& b) {
    for_each_part(
        b, level_, [&](const Region& r) { region(r); },
        [&](const Inst& i) {
          if (i.op == Op::For) crosses_.insert(static_cast<size_t>(i.imm));
          operands(i);
          for (const ir::Block& inside : i.regions) block(inside);
        });
    if (!b.insts.empty() && b.insts.back()->op == Op::Yield) operands(*b.insts.back());
  }

  void operands(const Inst& i) {
    for (const Inst* operand : i.operands)
      if (operand->op == Op::SlotLoad) crosses_.insert(static_cast<size_t>(operand->imm));
  }

  void region(const Region& r) {
    ++number_;
    crosses_.add(live_.before(r.insts(), SlotSet(crosses_.size())));
    for_each_inst(r, [&](const Inst& i, uint32_t) {
      if (!ir::names_slot(i.op)) return;
      uint32_t& named_in = named_in_[static_cast<size_t>(i.imm)];
      if (named_in != 0 && named_in != number_) crosses_.insert(static_cast<size_t>(i.imm));
      named_in = number_;
    });
  }

  const BlockLevel& level_;
  RangeLiveness live_;
  SlotSet crosses_;
  std::vector<uint32_t> named_in_;  // by slot: a region
  uint32_t number_ = 0;
};

}  // namespace

SlotSet crossing_slots(const ir::Function& f, const BlockLevel& level) {
  return Crossing(f, level).take();
}

RegionSlots slots_of(RangeLiveness& live, const Region& region, const SlotSet& crossing) {
  const SlotSet none(crossing.size());
  RegionSlots r;
  r.named = r.out = none;
  r.in = live.before(region.insts(), crossing);
  std::unordered_map<size_t, uint32_t> first_named, last_stored;
  for_each_inst(region, [&](const Inst& i, uint32_t at) {
    r.returns = r.returns || i.op == Op::Return;
    r.effects = r.effects || stores(i) || i.op == Op::Return || ir::has_effect(i);
    if (!ir::names_slot(i.op)) return;
    const auto slot = static_cast<size_t>(i.imm);
    r.named.insert(slot);
    first_named.try_emplace(slot, at);
    if (!stores(i) || !crossing[slot]) return;
    r.out.insert(slot);
    last_stored[slot] = at;
  });
  r.in.keep(r.named);
  r.in.keep(crossing);
  r.in_before.resize(region.insts().size());
  r.out_after.resize(region.insts().size());
  r.in.for_each([&](size_t slot) {
    r.in_before[first_named.at(slot)].push_back(static_cast<uint32_t>(slot));
  });
  r.out.for_each([&](size_t slot) {
    r.out_after[last_stored.at(slot)].push_back(static_cast<uint32_t>(slot));
  });
  return r;
}

}  // namespace cuda_device::analysis
