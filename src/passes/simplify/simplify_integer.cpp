// Identities of integers and bools. In the comments x, y are values, c constants.
#include <utility>

#include "passes/rewrite.h"
#include "passes/simplify/constants.h"
#include "passes/simplify/simplify.h"

namespace cuda_device::passes {
namespace {

using ir::Builder;
using ir::Inst;
using ir::Op;

bool commutes(Op op) {
  return op == Op::Add || op == Op::Mul || op == Op::And || op == Op::Or || op == Op::Xor;
}

Inst* constant(Inst& inst, int64_t value) {
  make_constant(inst, value);
  return &inst;
}

// c + x → x + c
Inst* constant_to_the_right(Inst& inst) {
  if (!commutes(inst.op)) return nullptr;
  if (!is_const(*inst.operands[0]) || is_const(*inst.operands[1])) return nullptr;
  std::swap(inst.operands[0], inst.operands[1]);
  return &inst;
}

// (x + c) + d → x + (c + d), and likewise * & | ^: modulo 2**bits they are associative.
Inst* gather_constants(Builder& before, Inst& inst) {
  if (!commutes(inst.op)) return nullptr;
  Inst &inner = *inst.operands[0], &outer = *inst.operands[1];
  if (inner.op != inst.op || !is_const(outer) || !is_const(*inner.operands[1])) return nullptr;
  Inst* x = inner.operands[0];
  Inst* sum = before.op(inst.op, {inner.operands[1], &outer});
  simplify_constant(before, *sum);
  inst.operands = {x, sum};
  return &inst;
}

// x - x → 0 and others of the kind.
Inst* same_operands(Inst& inst) {
  Inst* x = inst.operands[0];
  if (x != inst.operands[1]) return nullptr;
  switch (inst.op) {
    case Op::Sub:
    case Op::Xor:
    case Op::FloorMod:  // x % x is x % 0 where x is 0
      return constant(inst, 0);
    case Op::And:
    case Op::Or:
    case Op::Min:
    case Op::Max:
      return x;
    default:
      return nullptr;
  }
}

// x op 0
Inst* with_zero(Inst& inst) {
  Inst* x = inst.operands[0];
  switch (inst.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Or:
    case Op::Xor:
    case Op::Shl:
    case Op::Shr:
    case Op::FloorMod:
      return x;
    case Op::Mul:
    case Op::And:
      return constant(inst, 0);
    case Op::FloorDiv:
      return constant(inst, all_ones(inst.type));
    default:
      return nullptr;
  }
}

// x op 1
Inst* with_one(Inst& inst) {
  switch (inst.op) {
    case Op::Mul:
    case Op::FloorDiv:
      return inst.operands[0];
    case Op::FloorMod:
      return constant(inst, 0);
    default:
      return nullptr;
  }
}

// x op all ones, which is -1 of signed types
Inst* with_ones(Inst& inst) {
  switch (inst.op) {
    case Op::And:
      return inst.operands[0];
    case Op::Or:
      return constant(inst, all_ones(inst.type));
    case Op::Xor:
    case Op::Mul:
      inst.op = inst.op == Op::Xor ? Op::Not : Op::Neg;
      inst.operands.pop_back();
      return &inst;
    default:
      return nullptr;
  }
}

// x << c with c >= width
Inst* shifted_out(Inst& inst, uint64_t count) {
  if (count < static_cast<uint64_t>(inst.type.bits())) return nullptr;
  const bool to_zero = inst.op == Op::Shl || (inst.op == Op::Shr && !inst.type.is_signed());
  return to_zero ? constant(inst, 0) : nullptr;
}

Inst* binary(Builder& before, Inst& inst) {
  if (Inst* r = constant_to_the_right(inst)) return r;
  if (Inst* r = same_operands(inst)) return r;
  const Inst& c = *inst.operands[1];
  if (!is_const(c)) return nullptr;
  if (Inst* r = gather_constants(before, inst)) return r;
  Inst* simpler = nullptr;
  if (c.imm == 0) simpler = with_zero(inst);
  // For bool, 1 is all ones: the rules of bits come first.
  if (!simpler && c.imm == all_ones(inst.type)) simpler = with_ones(inst);
  if (!simpler && c.imm == 1) simpler = with_one(inst);
  if (!simpler && inst.type.is_int()) simpler = shifted_out(inst, static_cast<uint64_t>(c.imm));
  return simpler;
}

// - - x → x, ~ ~ x → x, abs(unsigned x) → x, abs(abs(x)) → abs(x)
Inst* unary(Inst& inst) {
  Inst* x = inst.operands[0];
  const bool undoes = inst.op == Op::Neg || inst.op == Op::Not || inst.op == Op::Brev;
  if (undoes && x->op == inst.op) return x->operands[0];
  if (inst.op == Op::Abs && (!inst.type.is_signed() || x->op == Op::Abs)) return x;
  return nullptr;
}

bool has_one_type(Op op) {
  using enum ir::ResultRule;
  const ir::ResultRule rule = ir::info(op).result;
  return rule == Same || rule == SameInt || rule == SameNum;
}

}  // namespace

Inst* simplify_integer(Builder& before, Inst& inst) {
  if (!has_one_type(inst.op) || !(inst.type.is_int() || inst.type.is_bool())) return nullptr;
  if (inst.operands.size() == 2) return binary(before, inst);
  if (inst.operands.size() == 1) return unary(inst);
  return nullptr;
}

}  // namespace cuda_device::passes
