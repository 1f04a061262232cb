// Conversions, and wrap, which is one with a correction.
#include "passes/simplify/constants.h"
#include "passes/simplify/simplify.h"

namespace cuda_device::passes {
namespace {

using ir::Builder;
using ir::Inst;
using ir::Op;
using ir::Type;

// B in C(B(A x)), where B holds every value of A.
bool is_lossless(Type a, Type b, Type c) {
  // int → float → int saturates where int → int wraps.
  const bool by_float = b.is_float() && !a.is_float() && c.is_int();
  return preserves_value(a, b) && (!by_float || preserves_value(a, c));
}

// Whether C keeps only bits of an integer that B kept, be they extended as A says or cut.
bool is_cut_again(Type a, Type b, Type c) {
  return a.is_int() && b.is_int() && c.is_int() && c.bits() <= b.bits();
}

// C(B(x)) → C(x)
Inst* skip_conversion(Inst& inst) {
  const Inst& inner = *inst.operands[0];
  if (inner.op != Op::Convert) return nullptr;
  Inst* x = inner.operands[0];
  const Type a = x->type, b = inner.type, c = inst.type;
  if (!is_lossless(a, b, c) && !is_cut_again(a, b, c)) return nullptr;
  inst.operands[0] = x;
  return &inst;
}

Inst* convert(Inst& inst) {
  if (inst.operands[0]->type == inst.type) return inst.operands[0];
  return skip_conversion(inst);
}

bool is_never_negative(const Inst& index) {
  if (is_const(index)) return index.imm >= 0;
  return !index.type.is_signed() && index.type.bits() < 64;
}

// An index that is never negative is used as it is.
Inst* wrap(Inst& inst) {
  if (!is_never_negative(*inst.operands[0])) return nullptr;
  inst.op = Op::Convert;
  inst.operands.pop_back();
  return &inst;
}

}  // namespace

bool preserves_value(Type from, Type to) { return holds_every_value(to.scalar(), from.scalar()); }

Inst* simplify_convert(Builder&, Inst& inst) {
  if (inst.op == Op::Convert) return convert(inst);
  if (inst.op == Op::Wrap) return wrap(inst);
  if (inst.op == Op::Bitcast && inst.operands[0]->type == inst.type) return inst.operands[0];
  return nullptr;
}

}  // namespace cuda_device::passes
