#include "passes/barriers/agreed_control.h"

#include "ir/effects.h"
#include "passes/barriers/jumps.h"

namespace cuda_device::passes {
namespace {

using analysis::Region;
using ir::Block;
using ir::Inst;
using ir::Op;

class Agreement {
 public:
  Agreement(ir::Function& f, const analysis::BlockLevel& level, const BarrierSites& sites,
            const LoopLimits& limits, uint32_t site)
      : f_(f), level_(level), sites_(sites), limits_(limits), site_(site) {}

  void block(Block& b) {
    Block done;
    for_each_part(
        b, level_,
        [&](const Region& r) {
          done.insts.insert(done.insts.end(), r.insts().begin(), r.insts().end());
        },
        [&](const Inst& i) {
          ir::Builder builder(f_, done);
          builder.set_span(i.span);
          inst(const_cast<Inst&>(i), builder);
        });
    if (!b.insts.empty() && b.insts.back()->op == Op::Yield) done.insts.push_back(b.insts.back());
    b = std::move(done);
  }

 private:
  void inst(Inst& i, ir::Builder& b) {
    if (i.op == Op::For && limits_.contains(&i))
      b.slot_store(limits_.at(&i), again(*i.operands[1], b));
    scopes_ += i.op == Op::Scope;
    for (Block& region : i.regions) block(region);
    scopes_ -= i.op == Op::Scope;
    if (!sites_.has(i) || ir::is_barrier(i.op)) return b.block().insts.push_back(&i);
    if (i.op == Op::If)
      branch(i, b);
    else if (i.op == Op::While)
      while_loop(i, b);
    else
      for_loop(i, b);
  }

  // Asks the likely question first: few threads jump.
  void branch(Inst& i, ir::Builder& b) {
    const Block& first = i.regions[0];
    const bool jumps = !first.empty() && ir::ends_block(first.insts.back()->op);
    Inst* voted = vote(jumps ? Op::BarrierOr : Op::BarrierAnd, *i.operands[0], b);
    Inst& decided = *b.control(Op::If, {voted}, 2);
    Block& disputed = decided.regions[jumps ? 0 : 1];
    ir::Builder d(f_, disputed);
    d.set_span(i.span);
    leave_if_disputed(jumps, i, *i.operands[0], d);
    for (const size_t side : {0, 1}) {
      std::vector<Inst*>& to = decided.regions[side].insts;
      to.insert(to.end(), i.regions[side].insts.begin(), i.regions[side].insts.end());
    }
  }

  // Threads disagree where some, but perhaps not all, say yes (`some`), or not all do.
  void leave_if_disputed(bool some, const Inst& decision, Inst& condition, ir::Builder& b) {
    Inst* voted = vote(some ? Op::BarrierAnd : Op::BarrierOr, condition, b);
    Inst& disputed = *b.control(Op::If, {voted}, 2);
    ir::Builder d(f_, disputed.regions[some ? 1 : 0]);
    d.set_span(decision.span);
    d.slot_store(site_, d.const_int(ir::kI32, sites_[decision]));
    d.typed(Op::Leave, ir::Type::none(), {}, scopes_);
  }

  void while_loop(Inst& i, ir::Builder& b) {
    Inst& yield = *i.regions[0].insts.back();
    Inst& condition = *yield.operands[0];
    i.regions[0].insts.pop_back();
    ir::Builder head(f_, i.regions[0]);
    head.set_span(yield.span);
    head.typed(Op::Yield, ir::Type::none(), {vote(Op::BarrierAnd, condition, head)});
    b.block().insts.push_back(&i);
    ended(i, condition, i.regions[2]);
  }

  // Counts up at the beginning of an iteration: those that continue do it too.
  void for_loop(Inst& i, ir::Builder& b) {
    const auto own = static_cast<uint32_t>(i.imm);
    Inst* one = b.const_int(i.operands[0]->type, 1);
    b.slot_store(own, b.op(Op::Sub, {i.operands[0], one}));
    Inst& loop = *b.control(Op::While, {}, 3);
    ir::Builder head(f_, loop.regions[0]);
    head.set_span(i.span);
    one = head.const_int(i.operands[0]->type, 1);
    head.slot_store(own, head.op(Op::Add, {head.slot_load(own), one}));
    const uint32_t more = add_flag(f_);
    Inst* limit = head.slot_load(limits_.at(&i));
    head.slot_store(more, head.op(Op::Lt, {head.slot_load(own), limit}));
    Inst& condition = *head.slot_load(more);
    head.typed(Op::Yield, ir::Type::none(), {vote(Op::BarrierAnd, condition, head)});
    loop.regions[1] = std::move(i.regions[0]);
    loop.regions[2] = std::move(i.regions[1]);
    ended(i, condition, loop.regions[2]);
  }

  // The else of a loop: not all go on.
  void ended(const Inst& loop, Inst& condition, Block& otherwise) {
    Block asked;
    ir::Builder b(f_, asked);
    b.set_span(loop.span);
    leave_if_disputed(false, loop, condition, b);
    otherwise.insts.insert(otherwise.insts.begin(), asked.insts.begin(), asked.insts.end());
  }

  static Inst* again(Inst& value, ir::Builder& b) {
    return value.op == Op::SlotLoad ? b.slot_load(static_cast<uint32_t>(value.imm)) : &value;
  }

  static Inst* vote(Op op, Inst& condition, ir::Builder& b) {
    return b.op(op, {again(condition, b)});
  }

  ir::Function& f_;
  const analysis::BlockLevel& level_;
  const BarrierSites& sites_;
  const LoopLimits& limits_;
  uint32_t site_;
  int64_t scopes_ = 0;
};

}  // namespace

void leave_where_threads_disagree(ir::Function& f, ir::Block& b, const analysis::BlockLevel& level,
                                  const BarrierSites& sites, const LoopLimits& limits,
                                  uint32_t site) {
  Agreement(f, level, sites, limits, site).block(b);
}

}  // namespace cuda_device::passes
