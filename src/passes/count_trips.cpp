#include "passes/count_trips.h"

namespace cuda_device::passes {
namespace {

using analysis::BlockLevel;
using ir::Block;
using ir::Inst;
using ir::Op;
using ir::Type;

Type unsigned_like(Type type) {
  switch (type.bits()) {
    case 8:
      return Type::of(ScalarKind::U8);
    case 16:
      return Type::of(ScalarKind::U16);
    case 32:
      return ir::kU32;
    default:
      return Type::of(ScalarKind::U64);
  }
}

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
    const int64_t slot = loop.imm;
    const bool same = loop.operands[0]->op == Op::Const && loop.operands[2]->op == Op::Const;
    Block head;
    ir::Builder in_body(f_, head);
    in_body.set_span(loop.span);
    if (same) {
      loop.imm = variable(loop.operands[0]->type);
      in_body.slot_store(static_cast<uint32_t>(slot), counter(in_body, loop));
    } else {
      Inst *start = loop.operands[0], *step = loop.operands[2];
      count(loop, before);
      Inst* number = in_body.typed(Op::Convert, start->type, {counter(in_body, loop)});
      Inst* value = in_body.op(Op::Add, {start, in_body.op(Op::Mul, {number, step})});
      in_body.slot_store(static_cast<uint32_t>(slot), value);
    }
    std::vector<Inst*>& body = loop.regions[0].insts;
    body.insert(body.begin(), head.insts.begin(), head.insts.end());
  }

  int64_t variable(Type type) {
    f_.slots.push_back({"", type});
    return static_cast<int64_t>(f_.slots.size()) - 1;
  }

  static Inst* counter(ir::Builder& b, const Inst& loop) {
    return b.slot_load(static_cast<uint32_t>(loop.imm));
  }

  // for i in range(start, stop, step)  ->  for own in range(trips)
  void count(Inst& loop, std::vector<Inst*>& before) {
    Block made;
    ir::Builder b(f_, made);
    b.set_span(loop.span);
    const Type type = unsigned_like(loop.operands[0]->type);
    Inst* zero = b.const_int(type, 0);
    Inst* trips = trips_of(b, loop, type, zero);
    loop.operands = {zero, trips, b.const_int(type, 1)};
    loop.imm = variable(type);
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
