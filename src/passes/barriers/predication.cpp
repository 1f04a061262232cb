#include "passes/barriers/predication.h"

#include <algorithm>

#include "ir/effects.h"
#include "passes/barriers/jumps.h"
#include "passes/loops/canonical_counter.h"
#include "support/check.h"

namespace cuda_device::passes {

using analysis::Region;
using ir::Block;
using ir::Inst;
using ir::Op;

namespace {

bool is_one(const Inst& i) { return i.op == Op::Const && i.imm == 1; }

}  // namespace

void Predication::run(Block& b) {
  find_operands(b);
  std::vector<Inst*> constants;
  take_constants(b, constants);
  block(b);
  b.insts.insert(b.insts.begin(), constants.begin(), constants.end());
}

void Predication::find_operands(const Block& b) {
  for (const Inst* i : b.insts) {
    if (!level_.contains(*i) && i->op != Op::Yield) continue;
    for (const Inst* operand : i->operands)
      if (operand->op == Op::SlotLoad) operands_.insert(operand);
    for (const Block& inside : i->regions) find_operands(inside);
  }
}

// Constants move to the start of the kernel, where every region can use them.
void Predication::take_constants(Block& b, std::vector<Inst*>& constants) {
  std::erase_if(b.insts, [&](Inst* i) {
    if (i->op == Op::Const) constants.push_back(i);
    return i->op == Op::Const;
  });
  for (Inst* i : b.insts)
    for (Block& inside : i->regions) take_constants(inside, constants);
}

void Predication::block(Block& b) {
  Block done;
  for_each_part(
      b, level_, [&](const Region& r) { region(r, done); },
      [&](const Inst& i) {
        ir::Builder builder(f_, done);
        builder.set_span(i.span);
        inst(const_cast<Inst&>(i), builder);
      });
  if (!b.insts.empty() && b.insts.back()->op == Op::Yield) {
    ir::Builder builder(f_, done);
    keep(*b.insts.back(), builder);
  }
  b = std::move(done);
}

// Active threads run a region. Loads for block-level control stand beside that control.
void Predication::region(const Region& r, Block& done) {
  std::vector<Inst*> insts;
  for (size_t i = r.first; i < r.last; ++i)
    if (!operands_.contains(r.block->insts[i])) insts.push_back(r.block->insts[i]);
  if (insts.empty() || !may_be_active()) return;
  ir::Builder b(f_, done);
  b.set_span(insts.front()->span);
  std::vector<Inst*>& to = active_.empty() ? done.insts : if_active(b).insts;
  to.insert(to.end(), insts.begin(), insts.end());
}

Block& Predication::if_active(ir::Builder& b) {
  return b.control(Op::If, {b.slot_load(active_.back())}, 2)->regions[0];
}

Inst* Predication::active(ir::Builder& b) {
  return active_.empty() ? b.const_int(ir::kBool, 1) : b.slot_load(active_.back());
}

Inst* Predication::again(Inst& value, ir::Builder& b) {
  if (value.op == Op::SlotLoad) return b.slot_load(static_cast<uint32_t>(value.imm));
  CD_CHECK(value.op == Op::Const || ir::is_barrier(value.op),
           "control at block level reads a value of a region");
  return &value;
}

void Predication::keep(Inst& i, ir::Builder& b) {
  for (Inst*& operand : i.operands) operand = again(*operand, b);
  b.block().insts.push_back(&i);
}

void Predication::inst(Inst& i, ir::Builder& b) {
  switch (i.op) {
    case Op::If:
      return diverges(i) ? branch(i, b) : convergent(i, b);
    case Op::While:
      return diverges(i) ? while_loop(i, b) : convergent(i, b);
    case Op::For:
      return diverges(i) ? for_loop(i, b) : convergent(i, b);
    case Op::Scope:
      return diverges(i) ? scope(i, b) : convergent(i, b);
    case Op::Break:
    case Op::Continue:
    case Op::Leave:
    case Op::Return:
      return active_.empty() ? keep(i, b) : jump(i, b);
    default:
      return barrier(i, b);
  }
}

void Predication::convergent(Inst& i, ir::Builder& b) {
  keep(i, b);
  frames_.push_back({&i, active_.size(), active_.size()});
  for (Block& inside : i.regions) block(inside);
  frames_.pop_back();
}

uint32_t Predication::set(ir::Builder& b, Inst* value) {
  const uint32_t flag = add_flag(f_);
  b.slot_store(flag, value);
  return flag;
}

void Predication::branch(Inst& i, ir::Builder& b) {
  before_decision(i, b);
  Inst* holds = again(*i.operands[0], b);
  Inst* here = active(b);
  const uint32_t yes = set(b, b.op(Op::And, {here, holds}));
  const uint32_t no = set(b, b.op(Op::And, {here, b.op(Op::Not, {holds})}));
  side(i, 0, yes, std::move(i.regions[0]), b);
  side(i, 1, no, std::move(i.regions[1]), b);
}

// A side with barriers is skipped where no thread is active in it.
void Predication::side(Inst& control, size_t region, uint32_t flag, Block insts, ir::Builder& b) {
  if (insts.empty()) return;
  const bool waits = ir::has_barrier(insts);
  active_.push_back(flag);
  block(insts);
  active_.pop_back();
  Block* to = &b.block();
  if (waits) to = &b.control(Op::If, {any(b, flag, control, region)}, 2)->regions[0];
  to->insts.insert(to->insts.end(), insts.insts.begin(), insts.insts.end());
}

Inst* Predication::any(ir::Builder& b, uint32_t flag, const Inst&, size_t) {
  return b.op(Op::BarrierOr, {b.slot_load(flag)});
}

uint32_t Predication::limit_of(const Inst&, ir::Type type) {
  return static_cast<uint32_t>(add_counter(f_, type));
}

void Predication::while_loop(Inst& i, ir::Builder& b) {
  const uint32_t in = set(b, active(b));
  const std::optional<uint32_t> ended = add_ended_flag(i.regions[2], b);
  enter_loop(i, in);
  Block& head = i.regions[0];
  Inst& yield = *head.insts.back();
  head.insts.pop_back();
  block(head);
  ir::Builder h(f_, head);
  h.set_span(yield.span);
  before_decision(i, h);
  go_on_if(i, again(*yield.operands[0], h), in, ended, h);
  iteration(i.regions[1], in);
  leave_loop();
  i.regions[2] = otherwise(i, 2, std::move(i.regions[2]), ended);
  b.block().insts.push_back(&i);
}

// Each thread counts for itself, all from the same number by the same step. Where that step is
// one, the variable of the loop is the counter; otherwise iterations are counted and the variable
// is computed from them, as its last number plus the step may lie beyond its type.
void Predication::for_loop(Inst& i, ir::Builder& b) {
  const bool counts = is_one(*i.operands[2]);
  Inst* start = again(*i.operands[0], b);
  Inst* trips = again(*i.operands[1], b);
  const auto own = static_cast<uint32_t>(i.imm);
  uint32_t number = own;
  if (!counts) {
    trips = trips_of(b, start, trips, again(*i.operands[2], b));
    number = static_cast<uint32_t>(add_counter(f_, trips->type));
    b.slot_store(number, b.const_int(trips->type, 0));
  } else {
    count(b, own, start);
  }
  const uint32_t stop = limit_of(i, trips->type);
  count(b, stop, trips);
  const uint32_t in = set(b, active(b));
  const std::optional<uint32_t> ended = add_ended_flag(i.regions[1], b);
  Inst& loop = *b.control(Op::While, {}, 3);
  enter_loop(i, in);
  ir::Builder h(f_, loop.regions[0]);
  h.set_span(i.span);
  before_decision(i, h);
  go_on_if(i, h.op(Op::Lt, {h.slot_load(number), h.slot_load(stop)}), in, ended, h);
  Block& body = loop.regions[1];
  body = std::move(i.regions[0]);
  iteration(body, in);
  ir::Builder next(f_, body);
  next.set_span(i.span);
  Inst* one = next.const_int(trips->type, 1);
  count(next, number, next.op(Op::Add, {next.slot_load(number), one}));
  if (!counts) compute_variable(i, own, number, body);
  leave_loop();
  loop.regions[2] = otherwise(i, 1, std::move(i.regions[1]), ended);
}

// The variable of the loop, set at the beginning of an iteration to start + number * step.
void Predication::compute_variable(const Inst& loop, uint32_t own, uint32_t number, Block& body) {
  Block head;
  ir::Builder b(f_, head);
  b.set_span(loop.span);
  Inst *start = again(*loop.operands[0], b), *step = again(*loop.operands[2], b);
  Inst* k = b.slot_load(number);
  if (k->type != start->type) k = b.typed(Op::Convert, start->type, {k});
  b.slot_store(own, b.op(Op::Add, {start, b.op(Op::Mul, {k, step})}));
  body.insts.insert(body.insts.begin(), head.insts.begin(), head.insts.end());
}

// Ends a condition: the loop goes on while it does for any thread.
void Predication::go_on_if(const Inst& loop, Inst* holds, uint32_t in,
                           std::optional<uint32_t> ended, ir::Builder& b) {
  Inst* before = b.slot_load(in);
  if (ended) {
    Inst* ends = b.op(Op::And, {before, b.op(Op::Not, {holds})});
    b.slot_store(*ended, b.op(Op::Or, {b.slot_load(*ended), ends}));
  }
  b.slot_store(in, b.op(Op::And, {before, holds}));
  const size_t body = loop.op == Op::While ? 1 : 0;
  b.typed(Op::Yield, ir::Type::none(), {any(b, in, loop, body)});
}

bool Predication::in_loop() const {
  return std::ranges::any_of(frames_,
                             [](const Frame& frame) { return analysis::is_loop(*frame.inst); });
}

void Predication::enter_loop(const Inst& i, uint32_t in) {
  frames_.push_back({&i, active_.size(), active_.size() + 1});
  active_.push_back(in);
}

void Predication::leave_loop() {
  active_.pop_back();
  frames_.pop_back();
}

void Predication::iteration(Block& body, uint32_t in) {
  bool continues = false;
  walk(body, [&](Inst& i, int64_t, bool in_loop) {
    continues = continues || (i.op == Op::Continue && !in_loop);
  });
  if (!continues) return block(body);
  Block start;
  ir::Builder b(f_, start);
  const uint32_t now = set(b, b.slot_load(in));
  active_.push_back(now);
  block(body);
  active_.pop_back();
  body.insts.insert(body.insts.begin(), start.insts.begin(), start.insts.end());
}

// A flag of the threads for which the condition ends the loop, where its else needs to know.
std::optional<uint32_t> Predication::add_ended_flag(const Block& otherwise, ir::Builder& b) {
  if (otherwise.empty()) return std::nullopt;
  return set(b, b.const_int(ir::kBool, 0));
}

// The else of a loop.
Block Predication::otherwise(Inst& control, size_t region, Block insts,
                             std::optional<uint32_t> ended) {
  Block done;
  if (!ended) return done;
  ir::Builder b(f_, done);
  side(control, region, *ended, std::move(insts), b);
  return done;
}

void Predication::scope(Inst& i, ir::Builder& b) {
  const uint32_t in = set(b, active(b));
  frames_.push_back({&i, active_.size(), active_.size()});
  active_.push_back(in);
  block(i.regions[0]);
  active_.pop_back();
  frames_.pop_back();
  std::vector<Inst*>& to = b.block().insts;
  to.insert(to.end(), i.regions[0].insts.begin(), i.regions[0].insts.end());
}

// Threads that jump are inactive until control gets to where the jump leads.
void Predication::jump(Inst& i, ir::Builder& b) {
  if (i.op == Op::Return) return leave_kernel(i, b);
  const Frame& frame = target_of(i);
  const size_t kept = i.op == Op::Continue ? frame.continued : frame.left;
  CD_CHECK(kept < active_.size(), "threads diverge at a jump to where none has diverged");
  Inst* stays = b.op(Op::Not, {active(b)});
  for (size_t k = kept; k < active_.size(); ++k)
    b.slot_store(active_[k], b.op(Op::And, {b.slot_load(active_[k]), stays}));
}

const Predication::Frame& Predication::target_of(const Inst& jump) const {
  const Inst* target = tree_.target(jump);
  const auto frame = std::ranges::find(frames_, target, &Frame::inst);
  CD_CHECK(frame != frames_.end(), "a jump without a target");
  return *frame;
}

}  // namespace cuda_device::passes
