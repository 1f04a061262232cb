// Conditions by their conjuncts. What all lanes share is a branch of its own, so that it needs no
// mask: `while n < limit and x * x + y * y <= 4` counts n for all lanes alike, and in
// `if y < height and x < width` a gang often lies in one row.
#include "codegen/host/control.h"

namespace cuda_device::codegen::host {

using ir::Op;
using llvm::Value;

Control::Condition Control::condition_of(const Inst& value) {
  if (parts_.values.of(value).uniform())
    return {parts_.values.scalar(value, ScalarKind::Bool), nullptr};
  if (value.op != Op::And) return {nullptr, parts_.values.vector(value, ScalarKind::Bool)};
  const Condition x = condition_of(*value.operands[0]), y = condition_of(*value.operands[1]);
  auto both = [&](Value* a, Value* b) { return a && b ? c_.b.CreateAnd(a, b) : a ? a : b; };
  return {both(x.shared, y.shared), both(x.lanes, y.lanes)};
}

}  // namespace cuda_device::codegen::host
