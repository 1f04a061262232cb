#include "passes/barriers/waiting_threads.h"

#include "ir/effects.h"
#include "ir/visitor.h"
#include "passes/barriers/jumps.h"
#include "passes/barriers/meet_at_any_barrier.h"
#include "passes/loops/canonical_counter.h"

namespace cuda_device::passes {

using ir::Block;
using ir::Inst;
using ir::Op;

bool votes(Op op) { return ir::is_barrier(op) && op != Op::Barrier; }

namespace {

uint32_t add_slot(ir::Function& f, ir::Type type) {
  f.slots.push_back({"", type});
  return static_cast<uint32_t>(f.slots.size() - 1);
}

// One for each place; its function and line are found later.
int64_t failure_of_kinds(ir::Function& f, Span place) {
  Failure failure{
      "RuntimeError",
      {"threads of its block wait for each other at barriers of different kinds, and none "
       "can go on (deadlock)"}};
  failure.function = kNotPlaced;
  failure.line = static_cast<int32_t>(place.line);
  f.failures.push_back(failure);
  return static_cast<int64_t>(f.failures.size()) - 1;
}

}  // namespace

BarrierAnswers::BarrierAnswers(ir::Function& f, Block& b) {
  ir::for_each_inst(b, [&](const Inst& i) {
    if (ir::is_barrier(i.op)) kinds_.insert(i.op);
    if (!votes(i.op)) return;
    slots_[&i] = add_slot(f, i.type);
    if (!waiting_.contains(i.op)) waiting_[i.op] = add_slot(f, i.type);
  });
  if (!slots_.empty()) load(f, b);
}

void BarrierAnswers::load(ir::Function& f, Block& b) {
  Block loaded;
  ir::Builder builder(f, loaded);
  for (Inst* i : b.insts) {
    builder.set_span(i->span);
    for (Inst*& operand : i->operands)
      if (votes(operand->op)) operand = builder.slot_load(of(*operand));
    for (Block& inside : i->regions) load(f, inside);
    loaded.insts.push_back(i);
  }
  b = std::move(loaded);
}

WaitingThreads::WaitingThreads(ir::Function& f, const analysis::BlockLevel& level,
                               const BarrierSites& sites, const LoopLimits& limits,
                               const BarrierAnswers& answers, uint32_t site)
    : Predication(f, level),
      sites_(sites),
      limits_(limits),
      answers_(answers),
      go_(site),
      at_(add_slot(f, ir::kI32)),
      done_(add_flag(f)),
      said_(add_flag(f)),
      kind_(add_slot(f, ir::kI32)) {}

void WaitingThreads::run_phases(Block& b) {
  const uint32_t run_flag = add_flag(function());
  push_flag(run_flag);
  run(b);
  pop_flag();
  Block phases;
  ir::Builder builder(function(), phases);
  Inst& loop = *builder.control(Op::While, {}, 3);
  ir::Builder head(function(), loop.regions[0]);
  const uint32_t left = set(head, head.op(Op::Not, {head.slot_load(done_)}));
  head.typed(Op::Yield, ir::Type::none(), {head.op(Op::BarrierOr, {head.slot_load(left)})});
  ir::Builder body(function(), loop.regions[1]);
  body.slot_store(run_flag, body.const_int(ir::kBool, 0));
  std::vector<Inst*>& to = loop.regions[1].insts;
  to.insert(to.end(), b.insts.begin(), b.insts.end());
  choose(body, body.slot_load(run_flag), done_, body.const_int(ir::kBool, 1));
  end_phase(body);
  b = std::move(phases);
}

// All threads wait, or have come to the end.
void WaitingThreads::end_phase(ir::Builder& b) {
  if (answers_.kinds().size() > 1) check_kinds(b);
  for (const auto& [op, slot] : answers_.of_waiting()) b.slot_store(slot, answer(op, b));
  b.slot_store(go_, b.slot_load(at_));
  b.slot_store(at_, b.const_int(ir::kI32, 0));
}

void WaitingThreads::check_kinds(ir::Builder& b) {
  std::vector<Inst*> all;  // answers of barriers alone may be used across those between them
  all.reserve(answers_.kinds().size());
  for (const Op kind : answers_.kinds()) {
    Inst* of_kind = b.op(Op::Or, {is(b, kind_, static_cast<int>(kind)), b.slot_load(done_)});
    all.push_back(b.op(Op::BarrierAnd, {b.slot_load(set(b, of_kind))}));
  }
  Inst* agree = all.front();
  for (size_t i = 1; i < all.size(); ++i) agree = b.op(Op::Or, {agree, all[i]});
  const uint32_t holds = set(b, agree);
  for (const auto& [site, place] : barriers_) {
    Block& here = b.control(Op::If, {is(b, at_, site)}, 2)->regions[0];
    ir::Builder check(function(), here);
    check.set_span(place);
    check.op(Op::Check, {check.slot_load(holds)}, failure_of_kinds(function(), place));
  }
}

void WaitingThreads::before_decision(const Inst& i, ir::Builder& b) {
  if (sites_.has(i)) resume(sites_[i], b);
}

// Threads that are to go on from somewhere in the region are in it too.
Inst* WaitingThreads::any(ir::Builder& b, uint32_t flag, const Inst& control, size_t region) {
  const BarrierSites::Range sites = sites_.in(control, region);
  if (sites.empty()) return b.op(Op::BarrierOr, {b.slot_load(flag)});
  Inst* go = b.slot_load(go_);
  Inst* inside = b.op(Op::And, {b.op(Op::Ge, {go, b.const_int(ir::kI32, sites.first)}),
                                b.op(Op::Le, {go, b.const_int(ir::kI32, sites.last)})});
  const uint32_t wanted = set(b, b.op(Op::Or, {b.slot_load(flag), inside}));
  return b.op(Op::BarrierOr, {b.slot_load(wanted)});
}

// Those that wait in the loop keep what they count.
void WaitingThreads::count(ir::Builder& b, uint32_t slot, Inst* value) {
  choose(b, active(b), slot, value);
}

uint32_t WaitingThreads::limit_of(const Inst& loop, ir::Type type) {
  const auto found = limits_.find(&loop);
  return found != limits_.end() ? found->second
                                : static_cast<uint32_t>(add_counter(function(), type));
}

void WaitingThreads::barrier(Inst& i, ir::Builder& b) {
  arrive(i, b);
  const uint32_t here = set(b, b.op(Op::Or, {is(b, at_, sites_[i]), b.slot_load(done_)}));
  Inst* all = b.op(Op::BarrierAnd, {b.slot_load(here)});
  Inst& branch = *b.control(Op::If, {all}, 2);
  go_on_together(i, branch.regions[0]);
  ir::Builder others(function(), branch.regions[1]);
  others.set_span(i.span);
  if (votes(i.op))
    choose(others, is(others, go_, sites_[i]), answers_.of(i),
           others.slot_load(answers_.of_waiting().at(i.op)));
  resume(sites_[i], others);
}

void WaitingThreads::arrive(const Inst& i, ir::Builder& b) {
  Inst* arrives = active(b);
  choose(b, arrives, at_, b.const_int(ir::kI32, sites_[i]));
  barriers_.emplace_back(sites_[i], i.span);
  if (answers_.kinds().size() > 1)
    choose(b, arrives, kind_, b.const_int(ir::kI32, static_cast<int>(i.op)));
  if (votes(i.op)) choose(b, arrives, said_, again(*i.operands[0], b));
  Inst* others = b.op(Op::Not, {arrives});
  for (const uint32_t flag : flags())
    b.slot_store(flag, b.op(Op::And, {b.slot_load(flag), others}));
}

void WaitingThreads::go_on_together(const Inst& i, Block& to) {
  ir::Builder b(function(), to);
  b.set_span(i.span);
  if (votes(i.op)) b.slot_store(answers_.of(i), answer(i.op, b));
  b.slot_store(at_, b.const_int(ir::kI32, 0));
  Inst* run = b.op(Op::Not, {b.slot_load(done_)});
  for (const uint32_t flag : flags()) b.slot_store(flag, run);
}

// Threads that are to go on from the site are active in all that is around it.
void WaitingThreads::resume(int site, ir::Builder& b) {
  has_begun_ = true;
  Inst* now = is(b, go_, site);
  for (const uint32_t flag : flags()) b.slot_store(flag, b.op(Op::Or, {b.slot_load(flag), now}));
  choose(b, now, go_, b.const_int(ir::kI32, 0));
}

// Those that have come to the end have no vote.
Inst* WaitingThreads::answer(Op op, ir::Builder& b) {
  Inst *said = b.slot_load(said_), *done = b.slot_load(done_);
  Inst* counted = ir::neutral_vote(op) ? b.op(Op::Or, {said, done})
                                       : b.op(Op::And, {said, b.op(Op::Not, {done})});
  return b.op(op, {b.slot_load(set(b, counted))});
}

void WaitingThreads::leave_kernel(Inst&, ir::Builder& b) {
  Inst* leaves = active(b);
  choose(b, leaves, done_, b.const_int(ir::kBool, 1));
  Inst* others = b.op(Op::Not, {leaves});
  for (const uint32_t flag : flags())
    b.slot_store(flag, b.op(Op::And, {b.slot_load(flag), others}));
}

Inst* WaitingThreads::is(ir::Builder& b, uint32_t slot, int site) {
  return b.op(Op::Eq, {b.slot_load(slot), b.const_int(ir::kI32, site)});
}

void WaitingThreads::choose(ir::Builder& b, Inst* holds, uint32_t slot, Inst* value) {
  b.slot_store(slot, b.typed(Op::Select, value->type, {holds, value, b.slot_load(slot)}));
}

}  // namespace cuda_device::passes
