// Simplifies one instruction by one step, for fold.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

// Returns null where there is nothing to do, the instruction itself where it was changed in place,
// or a value to use instead. `before` takes new instructions that must stand before it.
ir::Inst* simplify(ir::Builder& before, ir::Inst& inst);

// The groups of rules, in the order they are tried.
ir::Inst* simplify_constant(ir::Builder& before,
                            ir::Inst& inst);  // all operands constant; launch facts
ir::Inst* simplify_array(ir::Builder& before, ir::Inst& inst);    // extents and strides
ir::Inst* simplify_integer(ir::Builder& before, ir::Inst& inst);  // arithmetic and bits
ir::Inst* simplify_float(ir::Builder& before, ir::Inst& inst);
ir::Inst* simplify_compare(ir::Builder& before, ir::Inst& inst);  // comparisons, not, select
ir::Inst* simplify_convert(ir::Builder& before, ir::Inst& inst);  // conversions, wrap

// Every value of `from` is one of `to`.
bool preserves_value(ir::Type from, ir::Type to);

}  // namespace cuda_device::passes
