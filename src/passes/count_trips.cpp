#include "passes/count_trips.h"

#include "passes/own_counter.h"

namespace cuda_device::passes {
namespace {

using analysis::BlockLevel;
using ir::Block;
using ir::Inst;
using ir::Op;
using ir::Type;

class Counter {
 public:
  Counter(ir::Function& f, const BlockLevel& level) : f_(f), level_(level) {}

  void block(Block& b) {
    std::vector<Inst*> rebuilt;
    for (Inst* inst : b.insts) {
      if (inst->op == Op::For && level_.contains(*inst)) loop(*inst, rebuilt);
      rebuilt.push_back(inst);
      for (Block& inside : inst->regions) block(inside);
    }
    b.insts = std::move(rebuilt);
  }

 private:
  void loop(Inst& loop, std::vector<Inst*>& before) {
    if (loop.operands[0]->op == Op::Const && loop.operands[2]->op == Op::Const)
      keep_variable(loop);
    else
      count(loop, before);
  }

  // The loop may go on counting what all threads count.
  void keep_variable(Inst& loop) {
    const auto variable = static_cast<uint32_t>(loop.imm);
    loop.imm = add_counter(f_, loop.operands[0]->type);
    Block head;
    ir::Builder b(f_, head);
    b.set_span(loop.span);
    b.slot_store(variable, b.slot_load(static_cast<uint32_t>(loop.imm)));
    std::vector<Inst*>& body = loop.regions[0].insts;
    body.insert(body.begin(), head.insts.begin(), head.insts.end());
  }

  void count(Inst& loop, std::vector<Inst*>& before) {
    Block made;
    ir::Builder b(f_, made);
    b.set_span(loop.span);
    const Type type = unsigned_like(loop.operands[0]->type);
    count_iterations(b, loop, trips_of(b, loop, type, b.const_int(type, 0)));
    before.insert(before.end(), made.insts.begin(), made.insts.end());
  }

  static Inst* trips_of(ir::Builder& b, const Inst& loop, Type type, Inst* zero) {
    Inst *start = loop.operands[0], *stop = loop.operands[1], *step = loop.operands[2];
    const auto bits = [&](Inst* x) { return b.typed(Op::Convert, type, {x}); };
    Inst* none = b.const_int(start->type, 0);
    const auto trips = [&](Inst* distance, Inst* by) {
      Inst* one = b.const_int(type, 1);
      return b.op(Op::Add, {b.op(Op::FloorDiv, {b.op(Op::Sub, {distance, one}), by}), one});
    };
    Inst* first = bits(start);
    Inst* last = bits(stop);
    Inst* stride = bits(step);
    Inst* rises = b.op(Op::And, {b.op(Op::Gt, {step, none}), b.op(Op::Lt, {start, stop})});
    Inst* up = trips(b.op(Op::Sub, {last, first}), stride);
    Inst* rest = zero;
    if (start->type.is_signed()) {
      Inst* falls = b.op(Op::And, {b.op(Op::Lt, {step, none}), b.op(Op::Gt, {start, stop})});
      Inst* down = trips(b.op(Op::Sub, {first, last}), b.op(Op::Neg, {stride}));
      rest = b.typed(Op::Select, type, {falls, down, zero});
    }
    return b.typed(Op::Select, type, {rises, up, rest});
  }

  ir::Function& f_;
  const BlockLevel& level_;
};

}  // namespace

void count_trips(ir::Function& f, const BlockLevel& level) { Counter(f, level).block(f.body); }

}  // namespace cuda_device::passes
