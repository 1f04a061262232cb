// The shape of one instruction's value from those of its operands.
#pragma once

#include "analysis/ranges/interval.h"

namespace cuda_device::analysis {

// What the rules read. `shapes`, `ranges`, `congruences` and `invariant_shared_loads` are by
// Inst::id, `slots` and `slot_congruences` by slot, `changing_arrays` by parameter.
struct ShapeContext {
  const ir::Function& function;
  const LaneLayout& layout;
  const std::vector<Interval>& ranges;
  const std::vector<Shape>& shapes;
  const std::vector<Shape>& slots;
  const std::vector<Congruence>& congruences;
  const std::vector<Congruence>& slot_congruences;
  const std::vector<bool>& invariant_shared_loads;
  const std::vector<bool>& changing_arrays;
};

// `x // by`, `x % by`, `x >> by`, `x & by` as division by a power of two: its logarithm.
std::optional<int> division_by_power_of_two(const ir::Inst& inst, Interval by);

Shape shape_of(const ir::Inst& inst, const ShapeContext& context);

// The shape of the counter of a `for`: start + k * step after k iterations, which all active lanes
// have made.
Shape counter_shape(const ir::Inst& loop, const ShapeContext& context);

}  // namespace cuda_device::analysis
