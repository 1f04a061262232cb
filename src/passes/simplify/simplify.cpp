#include "passes/simplify/simplify.h"

#include "passes/rewrite.h"

namespace cuda_device::passes {

using ir::Inst;
using ir::Op;

Inst* simplify(ir::Builder& before, Inst& inst) {
  for (auto* rules : {simplify_constant, simplify_array, simplify_integer, simplify_float,
                      simplify_compare, simplify_convert}) {
    if (Inst* simpler = rules(before, inst)) return simpler;
  }
  return nullptr;
}

// Extents and strides are known of the function's own arrays, and of views.
Inst* simplify_array(ir::Builder& before, Inst& inst) {
  if (inst.op != Op::Extent && inst.op != Op::Stride) return nullptr;
  const Inst& array = *inst.operands[0];
  const auto axis = static_cast<size_t>(inst.imm);
  const bool extent = inst.op == Op::Extent;
  if (array.op == Op::View) {
    const size_t ndim = array.type.ndim;
    return array.operands[2 + axis + (extent ? 0 : ndim)];
  }
  if (array.op == Op::Array) {
    const ir::Allocation& a = before.function().arrays[static_cast<size_t>(array.imm)];
    make_constant(inst, extent ? a.shape[axis] : a.strides[axis]);
    return &inst;
  }
  if (array.op != Op::DynamicShared || extent) return nullptr;
  make_constant(inst, 1);
  return &inst;
}

}  // namespace cuda_device::passes
