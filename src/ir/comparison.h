// How the six comparisons relate.
#pragma once

#include "ir/op.h"
#include "support/check.h"

namespace cuda_device::ir {

inline bool is_comparison(Op op) { return op >= Op::Eq && op <= Op::Ge; }

// a < b and not (a >= b), of integers. (Of floats only eq and ne: every other is false of NaN.)
inline Op negated(Op comparison) {
  if (comparison == Op::Eq) return Op::Ne;
  if (comparison == Op::Ne) return Op::Eq;
  if (comparison == Op::Lt) return Op::Ge;
  if (comparison == Op::Ge) return Op::Lt;
  if (comparison == Op::Le) return Op::Gt;
  CD_CHECK(comparison == Op::Gt, "no comparison");
  return Op::Le;
}

// a < b and b > a
inline Op mirrored(Op comparison) {
  if (comparison == Op::Lt) return Op::Gt;
  if (comparison == Op::Gt) return Op::Lt;
  if (comparison == Op::Le) return Op::Ge;
  if (comparison == Op::Ge) return Op::Le;
  return comparison;
}

}  // namespace cuda_device::ir
