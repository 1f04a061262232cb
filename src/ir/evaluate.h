// Evaluates one operation on scalar values: the single evaluator of the interpreter and
// constant folding. Values are as Inst::imm of a constant.
#pragma once

#include <cstdint>

#include "ir/ir.h"

namespace cuda_device::ir {

// Takes up to three operands; those that the operation lacks are ignored.
using Evaluator = int64_t (*)(int64_t, int64_t, int64_t);

// Null where the operation needs more than scalar values (a position, memory, a slot) or is not for
// these types. `operand` is the type of the operands: of select, its last; of ldexp and wrap, its
// first.
Evaluator evaluator(Op op, ScalarKind operand, ScalarKind result);
Evaluator evaluator(const Inst& inst);

// Every target gives the same bits for it (of a NaN, that it is one). The others are functions that
// targets approximate within some ulp.
inline bool is_exact(Op op) { return info(op).accuracy == Accuracy::Exact; }
// Made only where a kernel allows it (passes/simplify/approximate_math.h).
inline bool is_estimate(Op op) { return info(op).accuracy == Accuracy::Estimate; }

}  // namespace cuda_device::ir
