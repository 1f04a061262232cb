#include "passes/loops/canonical_counter.h"

namespace cuda_device::passes {

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

int64_t add_counter(ir::Function& f, Type type) {
  f.slots.push_back({"", type});
  return static_cast<int64_t>(f.slots.size()) - 1;
}

Inst* trips_of(ir::Builder& b, Inst* start, Inst* stop, Inst* step) {
  const Type type = unsigned_like(start->type);
  Inst *zero = b.const_int(type, 0), *none = b.const_int(start->type, 0);
  const auto bits = [&](Inst* x) { return b.typed(Op::Convert, type, {x}); };
  const auto trips = [&](Inst* distance, Inst* by) {
    Inst* one = b.const_int(type, 1);
    return b.op(Op::Add, {b.op(Op::FloorDiv, {b.op(Op::Sub, {distance, one}), by}), one});
  };
  Inst *first = bits(start), *last = bits(stop), *stride = bits(step);
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

void count_iterations(ir::Builder& before, Inst& loop, Inst* trips) {
  Inst *start = loop.operands[0], *step = loop.operands[2];
  const auto variable = static_cast<uint32_t>(loop.imm);
  const Type type = trips->type;
  loop.operands = {before.const_int(type, 0), trips, before.const_int(type, 1)};
  loop.imm = add_counter(before.function(), type);
  ir::Block head;
  ir::Builder b(before.function(), head);
  b.set_span(loop.span);
  Inst* number = b.slot_load(static_cast<uint32_t>(loop.imm));
  if (type != start->type) number = b.typed(Op::Convert, start->type, {number});
  b.slot_store(variable, b.op(Op::Add, {start, b.op(Op::Mul, {number, step})}));
  std::vector<Inst*>& body = loop.regions[0].insts;
  body.insert(body.begin(), head.insts.begin(), head.insts.end());
}

}  // namespace cuda_device::passes
