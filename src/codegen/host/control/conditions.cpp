// Conditions by their conjuncts. What all lanes share is a branch of its own, so that it needs no
// mask: `while n < limit and x * x + y * y <= 4` counts n for all lanes alike, and in
// `if y < height and x < width` a gang often lies in one row.
#include "analysis/lanes/shape_algebra.h"
#include "codegen/host/control/control.h"

namespace cuda_device::codegen::host {

using ir::Op;
using llvm::Value;

Control::Bound Control::bound_of(const Inst& value) const {
  if (!c_.uses(Heuristic::bounds_by_ends)) return Bound::None;
  const analysis::Analysis& a = c_.analysis();
  const bool less = value.op == Op::Lt || value.op == Op::Le;
  if (!less && value.op != Op::Gt && value.op != Op::Ge) return Bound::None;
  const bool first = a.shape(*value.operands[0]).affine();
  const ir::Inst& affine = *value.operands[first ? 0 : 1];
  const analysis::Shape& shape = a.shape(affine);
  const bool one = shape.affine() && a.shape(*value.operands[first ? 1 : 0]).uniform();
  const bool climbs = one && affine.type.is_int() && shape.s0.known && shape.s1.known &&
                      shape.s0.value >= 0 && shape.s1.value >= 0;
  if (!climbs) return Bound::None;
  const analysis::Interval range = analysis::to_interval(a.range(affine), affine.type.scalar());
  if (!analysis::extends(shape, range, a.layout, affine.type.bits())) return Bound::None;
  return less == first ? Bound::Above : Bound::Below;
}

Control::Condition Control::lanes_of(const Inst& value) {
  Condition condition;
  condition.lanes = parts_.values.vector(value, ScalarKind::Bool);
  const Bound bound = bound_of(value);
  if (bound == Bound::None) return condition;
  const unsigned last = c_.width() - 1;
  condition.some = parts_.pure.at_lane(value, bound == Bound::Above ? 0 : last);
  condition.each = parts_.pure.at_lane(value, bound == Bound::Above ? last : 0);
  return condition;
}

Control::Condition Control::condition_of(const Inst& value) {
  if (parts_.values.of(value).uniform()) {
    Condition condition;
    condition.shared = parts_.values.scalar(value, ScalarKind::Bool);
    return condition;
  }
  if (value.op != Op::And) return lanes_of(value);
  const Condition x = condition_of(*value.operands[0]), y = condition_of(*value.operands[1]);
  auto both = [&](Value* a, Value* b) { return a && b ? c_.b.CreateAnd(a, b) : a ? a : b; };
  Condition condition;
  condition.shared = both(x.shared, y.shared);
  condition.lanes = both(x.lanes, y.lanes);
  if (x.lanes && y.lanes) return condition;
  condition.some = x.lanes ? x.some : y.some;
  condition.each = x.lanes ? x.each : y.each;
  return condition;
}

// Whether the value is `truth` in all lanes, for a gang with a thread in each. Where an end of the
// gang decides it, no vector is made.
Value* Control::all_lanes_have(const Inst& value, bool truth) {
  Condition parts;
  split(value, truth, parts);
  if (!parts.lanes) return parts.shared;
  Value* all = c_.b.CreateAndReduce(parts.lanes);
  return parts.shared ? c_.b.CreateAnd(parts.shared, all) : all;
}

// Adds to `parts` what must hold.
void Control::split(const Inst& value, bool truth, Condition& parts) {
  const auto add = [&](Value*& all, Value* one) {
    if (!truth) one = c_.b.CreateNot(one);
    all = all ? c_.b.CreateAnd(all, one) : one;
  };
  const Bound bound = bound_of(value);
  if (parts_.values.of(value).uniform()) {
    add(parts.shared, parts_.values.scalar(value, ScalarKind::Bool));
  } else if (value.op == Op::Not) {
    split(*value.operands[0], !truth, parts);
  } else if (value.op == (truth ? Op::And : Op::Or)) {
    for (const Inst* operand : value.operands) split(*operand, truth, parts);
  } else if (bound != Bound::None) {
    const bool last = (bound == Bound::Above) == truth;
    add(parts.shared, parts_.pure.at_lane(value, last ? c_.width() - 1 : 0));
  } else {
    add(parts.lanes, parts_.values.vector(value, ScalarKind::Bool));
  }
}

}  // namespace cuda_device::codegen::host
