// Identities of floats that give the same bits for every operand, NaN's payload aside. Not among
// them: x + 0 (turns -0 into 0), x * 0 (NaN, -0), x - x, and whatever reorders roundings.
#include <algorithm>
#include <cmath>

#include "passes/simplify/constants.h"
#include "passes/simplify/simplify.h"

namespace cuda_device::passes {
namespace {

using ir::Builder;
using ir::Inst;
using ir::Op;

bool either_is(const Inst& inst, double value) {
  return is_float_const(*inst.operands[0], value) || is_float_const(*inst.operands[1], value);
}

Inst* other_than(const Inst& inst, double value) {
  return inst.operands[is_float_const(*inst.operands[0], value) ? 1 : 0];
}

// A power of two whose reciprocal is one too, both normal in the format.
bool has_exact_reciprocal(const Inst& c) {
  if (!is_const(c)) return false;
  int exponent = 0;
  const double value = ir::const_as_double(c);
  const FloatFormat& format = format_of(c.type.scalar());
  const int limit = std::min(format.max_exponent(), -format.min_exponent());
  return std::abs(std::frexp(value, &exponent)) == 0.5 && std::abs(exponent - 1) <= limit;
}

// x / 1 → x; x / 2**k → x * 2**-k: both round the same exact value.
Inst* divide(Builder& before, Inst& inst) {
  Inst& divisor = *inst.operands[1];
  if (is_float_const(divisor, 1.0)) return inst.operands[0];
  if (!has_exact_reciprocal(divisor)) return nullptr;
  inst.op = Op::Mul;
  inst.operands[1] = before.const_float(inst.type, 1.0 / ir::const_as_double(divisor));
  return &inst;
}

// - - x → x, abs(abs(x)) → abs(x), abs(-x) → abs(x)
Inst* sign(Inst& inst) {
  Inst* x = inst.operands[0];
  if (inst.op == Op::Neg) return x->op == Op::Neg ? x->operands[0] : nullptr;
  if (x->op == Op::Abs) return x;
  if (x->op != Op::Neg) return nullptr;
  inst.operands[0] = x->operands[0];
  return &inst;
}

}  // namespace

Inst* simplify_float(Builder& before, Inst& inst) {
  if (!inst.type.is_float()) return nullptr;
  switch (inst.op) {
    case Op::Mul:
      return either_is(inst, 1.0) ? other_than(inst, 1.0) : nullptr;
    case Op::Add:
      return either_is(inst, -0.0) ? other_than(inst, -0.0) : nullptr;
    case Op::Sub:
      return is_float_const(*inst.operands[1], 0.0) ? inst.operands[0] : nullptr;
    case Op::Div:
      return divide(before, inst);
    case Op::Min:
    case Op::Max:
      return inst.operands[0] == inst.operands[1] ? inst.operands[0] : nullptr;
    case Op::Neg:
    case Op::Abs:
      return sign(inst);
    default:
      return nullptr;
  }
}

}  // namespace cuda_device::passes
