// Comparisons, logical not, select.
#include "ir/comparison.h"
#include "passes/rewrite.h"
#include "passes/simplify/constants.h"
#include "passes/simplify/simplify.h"

namespace cuda_device::passes {
namespace {

using ir::Builder;
using ir::Inst;
using ir::Op;
using ir::Type;

// not (a < b) → a >= b
Inst* not_compare(Inst& inst) {
  const Inst& x = *inst.operands[0];
  if (!ir::is_comparison(x.op)) return nullptr;
  const bool equality = x.op == Op::Eq || x.op == Op::Ne;
  if (!equality && x.operands[0]->type.is_float()) return nullptr;
  inst.op = ir::negated(x.op);
  inst.operands = x.operands;
  return &inst;
}

// x == x, x < x
Inst* compared_with_itself(Inst& inst) {
  Inst* x = inst.operands[0];
  if (x != inst.operands[1] || x->type.is_float()) return nullptr;
  make_constant(inst, inst.op == Op::Eq || inst.op == Op::Le || inst.op == Op::Ge);
  return &inst;
}

// b == true → b, b == false → not b
Inst* with_bool(Inst& inst) {
  Inst* b = inst.operands[0];
  const Inst& c = *inst.operands[1];
  if (!b->type.is_bool() || !is_const(c) || (inst.op != Op::Eq && inst.op != Op::Ne)) {
    return nullptr;
  }
  if ((inst.op == Op::Eq) == (c.imm != 0)) return b;
  inst.op = Op::Not;
  inst.operands.pop_back();
  return &inst;
}

bool is_widening(const Inst& inst) {
  return inst.op == Op::Convert && inst.type.is_int() && !inst.operands[0]->type.is_float() &&
         preserves_value(inst.operands[0]->type, inst.type);
}

// The constant in a narrower type that holds it.
Inst* narrowed(Builder& before, const Inst& c, Type type) {
  if (!is_const(c) || ir::canonical(type.scalar(), c.imm) != c.imm) return nullptr;
  // The conventions of imm differ between signed and unsigned: the same imm must mean the same
  // number.
  const bool beyond_signed = c.type.scalar() == ScalarKind::U64 && c.imm < 0;
  return beyond_signed ? nullptr : before.const_int(type, c.imm);
}

// int64(x) < int64(y) → x < y, int64(x) < c → x < c: no wider arithmetic than the values need.
Inst* compare_narrow(Builder& before, Inst& inst) {
  const Inst &a = *inst.operands[0], &b = *inst.operands[1];
  if (!is_widening(a)) return nullptr;
  Inst* x = a.operands[0];
  Inst* y = nullptr;
  if (is_widening(b) && b.operands[0]->type == x->type) y = b.operands[0];
  if (!y) y = narrowed(before, b, x->type);
  if (!y) return nullptr;
  inst.operands = {x, y};
  return &inst;
}

// c < x → x > c
Inst* compared_constant_to_the_right(Inst& inst) {
  if (!is_const(*inst.operands[0]) || is_const(*inst.operands[1])) return nullptr;
  std::swap(inst.operands[0], inst.operands[1]);
  inst.op = ir::mirrored(inst.op);
  return &inst;
}

Inst* compare(Builder& before, Inst& inst) {
  if (Inst* r = compared_constant_to_the_right(inst)) return r;
  if (Inst* r = compared_with_itself(inst)) return r;
  if (Inst* r = with_bool(inst)) return r;
  return compare_narrow(before, inst);
}

// select c ? x : x → x; select c ? true : false → c
Inst* select(Inst& inst) {
  Inst *c = inst.operands[0], *a = inst.operands[1], *b = inst.operands[2];
  if (is_const(*c)) return c->imm ? a : b;
  if (a == b) return a;
  if (!inst.type.is_bool() || !is_const(*a) || !is_const(*b)) return nullptr;
  if (a->imm == b->imm) return a;
  if (a->imm) return c;
  inst.op = Op::Not;
  inst.operands = {c};
  return &inst;
}

}  // namespace

Inst* simplify_compare(Builder& before, Inst& inst) {
  if (ir::is_comparison(inst.op)) return compare(before, inst);
  if (inst.op == Op::Not && inst.type.is_bool()) return not_compare(inst);
  if (inst.op == Op::Select) return select(inst);
  return nullptr;
}

}  // namespace cuda_device::passes
