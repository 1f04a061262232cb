#include "passes/barriers/meet_at_any_barrier.h"

#include "analysis/blocks/different_barriers.h"
#include "analysis/blocks/divergent_control.h"
#include "analysis/blocks/region_slots.h"
#include "ir/effects.h"
#include "ir/visitor.h"
#include "passes/barriers/agreed_control.h"
#include "passes/barriers/barrier_sites.h"
#include "passes/barriers/waiting_threads.h"
#include "passes/loops/canonical_counter.h"
#include "passes/simplify/dce.h"
#include "support/check.h"

namespace cuda_device::passes {
namespace {

using analysis::BlockLevel;
using ir::Block;
using ir::Inst;
using ir::Op;

// ---- the copies ----

// Each `for` at block level counts by one, so that its counter says where it stands.
void count_by_one(ir::Function& f, Block& b, const BlockLevel& level) {
  std::vector<Inst*> counted;
  for (Inst* i : b.insts) {
    for (Block& inside : i->regions) count_by_one(f, inside, level);
    if (i->op == Op::For && level.contains(*i) && i->operands[2]->imm != 1) {
      Block before;
      ir::Builder builder(f, before);
      builder.set_span(i->span);
      Inst* trips = trips_of(builder, i->operands[0], i->operands[1], i->operands[2]);
      const auto slot = static_cast<uint32_t>(add_counter(f, trips->type));
      builder.slot_store(slot, trips);
      count_iterations(builder, *i, builder.slot_load(slot));
      counted.insert(counted.end(), before.insts.begin(), before.insts.end());
    }
    counted.push_back(i);
  }
  b.insts = std::move(counted);
}

// The second copy of a kernel, with variables of its own.
class SecondCopy {
 public:
  SecondCopy(ir::Function& f, const LoopLimits& limits) : f_(f) {
    block_.insts = clone(f, f.body, copies_);
    ir::for_each_inst(block_, [&](Inst& i) {
      if (ir::names_slot(i.op)) i.imm = copy_of(static_cast<uint32_t>(i.imm));
    });
    for (const auto& [loop, slot] : limits) limits_[copies_.at(loop)] = copy_of(slot);
  }

  Block& block() { return block_; }
  const ir::Copies& copies() const { return copies_; }
  const LoopLimits& limits() const { return limits_; }

  // What variables hold where the first copy is left.
  void take_over(ir::Builder& b, const analysis::SlotSet& crossing, const LoopLimits& limits) {
    crossing.for_each([&](size_t slot) { take_over(b, static_cast<uint32_t>(slot)); });
    for (const auto& [loop, slot] : limits) take_over(b, slot);
  }

 private:
  uint32_t copy_of(uint32_t slot) {
    const auto [found, is_new] = slots_.try_emplace(slot, static_cast<uint32_t>(f_.slots.size()));
    if (is_new) {
      const ir::Slot copied = f_.slots[slot];
      f_.slots.push_back(copied);
    }
    return found->second;
  }

  void take_over(ir::Builder& b, uint32_t slot) {
    if (slots_.contains(slot)) b.slot_store(slots_.at(slot), b.slot_load(slot));
  }

  ir::Function& f_;
  Block block_;
  ir::Copies copies_;
  std::unordered_map<uint32_t, uint32_t> slots_;
  LoopLimits limits_;
};

// Variables of the first copy that keep what its barriers have answered, each with that of the
// second.
using KeptAnswers = std::vector<std::pair<uint32_t, uint32_t>>;

void keep_answers(ir::Function& f, Block& first, const ir::Copies& copies,
                  const BarrierAnswers& answers, KeptAnswers& kept) {
  Block all;
  ir::Builder b(f, all);
  for (Inst* i : first.insts) {
    for (Block& inside : i->regions) keep_answers(f, inside, copies, answers, kept);
    all.insts.push_back(i);
    if (!votes(i->op)) continue;
    b.set_span(i->span);
    const auto slot = static_cast<uint32_t>(add_counter(f, i->type));
    b.slot_store(slot, i);
    kept.emplace_back(slot, answers.of(*copies.at(i)));
  }
  first = std::move(all);
}

LoopLimits limits_of(ir::Function& f, const BarrierSites& sites) {
  LoopLimits limits;
  ir::for_each_inst(f.body, [&](const Inst& i) {
    if (i.op == Op::For && sites.decided_inside(i))
      limits[&i] = static_cast<uint32_t>(add_counter(f, i.operands[1]->type));
  });
  return limits;
}

// The first copy: a scope that threads leave where they disagree.
Inst& put_into_scope(ir::Function& f) {
  Block body;
  ir::Builder b(f, body);
  Inst& scope = *b.control(Op::Scope, {}, 1);
  scope.regions[0] = std::move(f.body);
  ir::Builder end(f, scope.regions[0]);
  const std::vector<Inst*>& insts = scope.regions[0].insts;
  if (insts.empty() || !ir::ends_block(insts.back()->op))
    end.typed(Op::Return, ir::Type::none(), {});
  f.body = std::move(body);
  return scope;
}

void split(ir::Function& f) {
  const BlockLevel before(f);
  const BarrierSites::Decisions decisions = analysis::divergent_decisions(f, before);
  BarrierSites sites(f, before, decisions);
  const analysis::SlotSet crossing = crossing_slots(f, before);
  const LoopLimits limits = limits_of(f, sites);
  SecondCopy second(f, limits);
  sites.add_copies(second.copies());
  const BarrierAnswers answers(f, second.block());
  KeptAnswers kept;
  keep_answers(f, f.body, second.copies(), answers, kept);
  const uint32_t site = static_cast<uint32_t>(add_counter(f, ir::kI32));

  Inst& first = put_into_scope(f);
  std::vector<Inst*>& all = f.body.insts;
  all.insert(all.end(), second.block().insts.begin(), second.block().insts.end());
  const BlockLevel level(f);
  leave_where_threads_disagree(f, first.regions[0], level, sites, limits, site);
  WaitingThreads(f, level, sites, second.limits(), answers, site).run_phases(second.block());
  all = {&first};
  ir::Builder b(f, f.body);
  second.take_over(b, crossing, limits);
  for (const auto& [from, to] : kept) b.slot_store(to, b.slot_load(from));
  all.insert(all.end(), second.block().insts.begin(), second.block().insts.end());
  dce(f);
}

}  // namespace

void meet_at_any_barrier(ir::Function& f) {
  if (!analysis::find_different_barriers(f)) return;
  count_by_one(f, f.body, BlockLevel(f));
  split(f);
  const BlockLevel level(f);
  CD_CHECK(!analysis::DivergentControl(f, level).any(), "threads diverge where they have voted");
}

}  // namespace cuda_device::passes
