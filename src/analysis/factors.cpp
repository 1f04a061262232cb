#include "analysis/factors.h"

#include <algorithm>

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

uint32_t power_of_two_in(uint64_t v) {
  return v == 0 ? kMostFactor : static_cast<uint32_t>(std::min<uint64_t>(v & -v, kMostFactor));
}

class Factors {
 public:
  Factors(const Inst& inst, const ShapeContext& c) : inst_(inst), c_(c) {}

  uint32_t run() const {
    if (!inst_.type.is_int() || c_.shapes[inst_.id].level == Level::Varying) return 1;
    const Interval& range = c_.ranges[inst_.id];
    if (range.single()) return power_of_two_in(static_cast<uint64_t>(range.lo));
    switch (inst_.op) {
      case Op::SlotLoad:
        return c_.slot_factors[static_cast<size_t>(inst_.imm)];
      case Op::ThreadIdx:
        return first_thread();
      case Op::Tid:
        return c_.function.launch.has_block() ? std::min(first_thread(), power_of_two_in(extent()))
                                              : 1;
      case Op::LaneId:
        return kMostFactor;
      case Op::Add:
      case Op::Sub:
      case Op::Or:
      case Op::Xor:
        return std::min(operand(0), operand(1));
      case Op::Neg:
        return operand(0);
      case Op::Convert:
      case Op::Bitcast:
      case Op::Wrap:
        return inst_.operands[0]->type.is_int() && keeps() ? operand(0) : 1;
      case Op::Mul:
        return times(operand(0), operand(1));
      case Op::Shl:
        return shifted_left();
      case Op::FloorDiv:
      case Op::Shr:
        return quotient();
      case Op::FloorMod:
        return division() ? operand(0) : 1;
      case Op::And:
        return std::max(operand(0), operand(1));
      case Op::Select:
        return std::min(operand(1), operand(2));
      default:
        return 1;
    }
  }

 private:
  uint32_t operand(size_t i) const { return c_.factors[inst_.operands[i]->id]; }
  uint32_t extent() const { return c_.function.launch.block[static_cast<size_t>(inst_.imm)]; }

  // A wrapped index may have the extent added.
  bool keeps() const { return inst_.op != Op::Wrap || c_.ranges[inst_.operands[0]->id].lo >= 0; }

  static uint32_t times(uint32_t a, uint32_t b) {
    return static_cast<uint32_t>(std::min<uint64_t>(uint64_t{a} * b, kMostFactor));
  }

  uint32_t shifted_left() const {
    const Interval& count = c_.ranges[inst_.operands[1]->id];
    if (!count.single() || count.lo < 0 || count.lo >= 30) return 1;
    return times(operand(0), 1U << static_cast<int>(count.lo));
  }

  std::optional<int> division() const {
    return division_by_power_of_two(inst_, c_.ranges[inst_.operands[1]->id]);
  }

  uint32_t quotient() const {
    const std::optional<int> by = division();
    return by ? std::max(operand(0) >> *by, 1U) : 1;
  }

  // Of lane 0 of any gang.
  uint32_t first_thread() const {
    const LaneLayout& l = c_.layout;
    const bool rows = l.kind == LaneLayout::Kind::Rows && l.period < l.width;
    if (inst_.imm == 0) return rows ? kMostFactor : power_of_two_in(l.width);
    return rows && inst_.imm == 1 ? power_of_two_in(l.rows_per_gang) : 1;
  }

  const Inst& inst_;
  const ShapeContext& c_;
};

}  // namespace

uint32_t factor_of(const Inst& inst, const ShapeContext& context) {
  return Factors(inst, context).run();
}

uint32_t counter_factor(const Inst& loop, const ShapeContext& context) {
  return std::min(context.factors[loop.operands[0]->id], context.factors[loop.operands[2]->id]);
}

}  // namespace cuda_device::analysis
