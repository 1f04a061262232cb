#include "passes/own_counter.h"

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
