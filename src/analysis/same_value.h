// Whether two expressions have one value.
#pragma once

#include <algorithm>

#include "ir/effects.h"
#include "ir/ir.h"

namespace cuda_device::analysis {

// They are one instruction, or compute the same of the same. `unchanged`: whether a variable that a
// SlotLoad reads has one value at both. Expressions that are nested deeper are taken to differ.
template <class P>
bool same_value(const ir::Inst& a, const ir::Inst& b, const P& unchanged, int deep = 50) {
  if (&a == &b) return true;
  if (deep == 0 || a.op != b.op || a.type != b.type || a.imm != b.imm) return false;
  if (a.op == ir::Op::SlotLoad) return unchanged(a);
  return ir::is_pure(a.op) &&
         std::ranges::equal(a.operands, b.operands, [&](const ir::Inst* x, const ir::Inst* y) {
           return same_value(*x, *y, unchanged, deep - 1);
         });
}

}  // namespace cuda_device::analysis
