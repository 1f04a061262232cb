// Questions about operands that the rules of simplify ask.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

inline bool is_const(const ir::Inst& inst) { return inst.op == ir::Op::Const; }
inline bool is_const(const ir::Inst& inst, int64_t imm) {
  return is_const(inst) && inst.imm == imm;
}

// All bits set, in the type's own convention: -1, or the largest unsigned value, or true.
inline int64_t all_ones(ir::Type type) { return ir::canonical(type.scalar(), -1); }

inline bool is_float_const(const ir::Inst& inst, double value) {
  return is_const(inst) && inst.imm == ir::float_bits(inst.type.scalar(), value);
}

}  // namespace cuda_device::passes
