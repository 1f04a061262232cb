// The shape of one instruction's value from those of its operands.
#pragma once

#include "analysis/interval.h"

namespace cuda_device::analysis {

// What the rules look at. `shapes` and `ranges` are by Inst::id, `slots` by slot.
struct ShapeContext {
  const ir::Function& function;
  const LaneLayout& layout;
  const std::vector<Interval>& ranges;
  const std::vector<Shape>& shapes;
  const std::vector<Shape>& slots;
};

Shape shape_of(const ir::Inst& inst, const ShapeContext& context);

// Of the counter of a `for`: start + k * step after k iterations, which the active lanes have all
// made.
Shape counter_shape(const ir::Inst& loop, const ShapeContext& context);

}  // namespace cuda_device::analysis
