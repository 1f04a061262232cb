#include "analysis/lanes/congruence.h"

#include <algorithm>

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

constexpr uint64_t kMost = Congruence::kMostModulus;

Congruence make(uint64_t modulus, uint64_t value) {
  modulus = std::min(modulus, kMost);
  return {static_cast<uint32_t>(modulus), static_cast<uint32_t>(value & (modulus - 1))};
}

uint64_t lesser_modulus(Congruence a, Congruence b) { return std::min(a.modulus, b.modulus); }

Congruence negate(Congruence a) { return make(a.modulus, -uint64_t{a.value}); }

// Zeros at the end stay, however little is known of the other operand.
Congruence bits_of_both(Congruence a, Congruence b) {
  for (const Congruence x : {a, b})
    if (x.value == 0 && x.modulus == std::max(a.modulus, b.modulus)) return x;
  return make(lesser_modulus(a, b), a.value & b.value);
}

class CongruenceRules {
 public:
  CongruenceRules(const Inst& inst, const ShapeContext& c) : inst_(inst), c_(c) {}

  Congruence run() const {
    if (!inst_.type.is_int() || c_.shapes[inst_.id].level == Level::Varying) return {};
    const Interval& range = c_.ranges[inst_.id];
    const Congruence all =
        range.single() ? congruence_of(static_cast<uint64_t>(range.lo)) : of_operation();
    // Beyond its type a value is what its high bit extends to.
    return make(std::min<uint64_t>(all.modulus, uint64_t{1} << std::min(inst_.type.bits(), 32)),
                all.value);
  }

 private:
  Congruence of_operation() const {
    switch (inst_.op) {
      case Op::SlotLoad:
        return c_.slot_congruences[static_cast<size_t>(inst_.imm)];
      case Op::ThreadIdx:
        return first_thread();
      case Op::Tid:
        return c_.function.launch.has_block() ? add(first_thread(), first_of_block())
                                              : Congruence{};
      case Op::LaneId:
        return congruence_of(0);
      case Op::Add:
        return add(operand(0), operand(1));
      case Op::Sub:
        return add(operand(0), negate(operand(1)));
      case Op::Neg:
        return negate(operand(0));
      case Op::Not:
        return add(negate(operand(0)), congruence_of(~uint64_t{0}));
      case Op::Or:
        return make(lesser_modulus(operand(0), operand(1)), operand(0).value | operand(1).value);
      case Op::Xor:
        return make(lesser_modulus(operand(0), operand(1)), operand(0).value ^ operand(1).value);
      case Op::And:
        return bits_of_both(operand(0), operand(1));
      case Op::Convert:
      case Op::Bitcast:
      case Op::Wrap:
        return inst_.operands[0]->type.is_int() && keeps() ? operand(0) : Congruence{};
      case Op::Mul:
        return multiply(operand(0), operand(1));
      case Op::Shl:
        return shifted_left();
      case Op::FloorDiv:
      case Op::Shr:
        return quotient();
      case Op::FloorMod:
        return remainder();
      case Op::Select:
        return join(operand(1), operand(2));
      default:
        return {};
    }
  }

  const Congruence& operand(size_t i) const { return c_.congruences[inst_.operands[i]->id]; }

  Congruence first_of_block() const {
    const uint32_t extent = c_.function.launch.block[static_cast<size_t>(inst_.imm)];
    return multiply(congruence_of(extent), {});
  }

  // A wrapped index may have the extent added.
  bool keeps() const { return inst_.op != Op::Wrap || c_.ranges[inst_.operands[0]->id].lo >= 0; }

  Congruence shifted_left() const {
    const Interval& count = c_.ranges[inst_.operands[1]->id];
    if (!count.single() || count.lo < 0 || count.lo >= 30) return {};
    return multiply(operand(0), congruence_of(uint64_t{1} << static_cast<int>(count.lo)));
  }

  std::optional<int> division() const {
    return division_by_power_of_two(inst_, c_.ranges[inst_.operands[1]->id]);
  }

  Congruence quotient() const {
    const std::optional<int> by = division();
    if (!by || operand(0).modulus >> *by == 0) return {};
    return make(operand(0).modulus >> *by, operand(0).value >> *by);
  }

  Congruence remainder() const {
    const std::optional<int> by = division();
    if (!by) return {};
    const uint64_t divisor = uint64_t{1} << *by;
    return operand(0).modulus < divisor ? operand(0)
                                        : congruence_of(operand(0).value & (divisor - 1));
  }

  // The congruence in lane 0 of any gang.
  Congruence first_thread() const {
    const LaneLayout& l = c_.layout;
    const bool rows = l.kind == LaneLayout::Kind::Rows && l.period < l.width;
    if (inst_.imm == 0) return rows ? congruence_of(0) : multiply(congruence_of(l.width), {});
    return rows && inst_.imm == 1 ? multiply(congruence_of(l.rows_per_gang), {}) : Congruence{};
  }

  const Inst& inst_;
  const ShapeContext& c_;
};

}  // namespace

Congruence congruence_of(uint64_t number) { return make(kMost, number); }

Congruence join(Congruence a, Congruence b) {
  const Congruence difference = congruence_of(a.value ^ b.value);
  return make(std::min<uint64_t>(lesser_modulus(a, b), difference.factor()), a.value);
}

Congruence add(Congruence a, Congruence b) {
  return make(lesser_modulus(a, b), uint64_t{a.value} + b.value);
}

// (u + m * x) * (v + n * y): what is unknown are multiples of u * n, of v * m and of m * n.
Congruence multiply(Congruence a, Congruence b) {
  const uint64_t modulus =
      std::min(uint64_t{a.factor()} * b.modulus, uint64_t{b.factor()} * a.modulus);
  return make(modulus, uint64_t{a.value} * b.value);
}

Congruence congruence_of(const Inst& inst, const ShapeContext& context) {
  return CongruenceRules(inst, context).run();
}

Congruence counter_congruence(const Inst& loop, const ShapeContext& context) {
  const Congruence &first = context.congruences[loop.operands[0]->id],
                   &step = context.congruences[loop.operands[2]->id];
  return make(std::min(first.modulus, step.factor()), first.value);
}

}  // namespace cuda_device::analysis
