#include "analysis/lanes/shape_transfer.h"

#include <algorithm>
#include <bit>

#include "analysis/lanes/congruence.h"
#include "analysis/lanes/shape_algebra.h"
#include "ir/comparison.h"
#include "ir/effects.h"
#include "support/check.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

constexpr Step kZero{true, 0};
constexpr Step kOne{true, 1};
constexpr Step kUnknown{false, 0};

class ShapeRules {
 public:
  ShapeRules(const Inst& inst, const ShapeContext& c)
      : inst_(inst), c_(c), kind_(inst.type.is_array() ? ScalarKind::I64 : inst.type.scalar()) {}

  Shape run() const {
    if (decided()) return uniform_shape(Level::LaunchUniform);
    switch (inst_.op) {
      case Op::SlotLoad:
        return c_.slots[static_cast<size_t>(inst_.imm)];
      case Op::ThreadIdx:
        return thread_idx();
      case Op::Tid:
        return add(thread_idx(), uniform_shape(Level::BlockUniform), c_.layout, kind_);
      case Op::LaneId:
        return lane_id();
      case Op::Load:
        return load();
      case Op::Array:
        return own_array();
      case Op::Extent:
      case Op::Stride:
        return array_number();
      case Op::Select:
        return operand(0).uniform() ? select() : plain();
      case Op::Shuffle:
        return same_source_for_all() ? uniform_shape(Level::GangUniform) : varying_shape();
      default:
        return by_rule();
    }
  }

 private:
  const Shape& operand(size_t i) const { return c_.shapes[inst_.operands[i]->id]; }
  const Interval& range(size_t i) const { return c_.ranges[inst_.operands[i]->id]; }

  // Follows the rule of op.def.
  Shape by_rule() const {
    switch (ir::info(inst_.op).lanes) {
      case ir::LaneRule::OfOperands:
        return arithmetic();
      case ir::LaneRule::BlockUniform:
        return uniform_shape(Level::BlockUniform);
      case ir::LaneRule::OfMask:
        return has_one_mask() ? uniform_shape(Level::GangUniform) : varying_shape();
      case ir::LaneRule::Varying:
      case ir::LaneRule::ByLane:
        return varying_shape();
    }
    CD_UNREACHABLE("unknown rule of lanes");
  }

  // A gang that uses warps is one.
  bool has_one_mask() const { return inst_.operands.empty() || operand(0).uniform(); }
  bool same_source_for_all() const { return has_one_mask() && operand(2).uniform(); }

  // A value computed from values that can be only one number. Codegen writes the number.
  bool decided() const {
    const Interval& r = c_.ranges[inst_.id];
    return ir::is_pure(inst_.op) && (inst_.type.is_int() || inst_.type.is_bool()) && r.single() &&
           r.hi <= INT64_MAX;
  }

  // Uniform if all operands are.
  Shape plain() const {
    Level level = Level::LaunchUniform;
    for (size_t i = 0; i < inst_.operands.size(); ++i) level = join(level, operand(i).level);
    return uniform_shape(level == Level::Affine ? Level::Varying : level);
  }

  Shape arithmetic() const {
    const bool integer = inst_.type.is_int() || is_comparison(inst_.op);
    const bool affine = std::any_of(inst_.operands.begin(), inst_.operands.end(),
                                    [&](Inst* o) { return c_.shapes[o->id].affine(); });
    return integer && affine ? affine_arithmetic() : plain();
  }

  // The shape where at least one operand is affine.
  Shape affine_arithmetic() const {
    switch (inst_.op) {
      case Op::Add:
        return add(operand(0), operand(1), c_.layout, kind_);
      case Op::Sub:
        return add(operand(0), times(1, -1), c_.layout, kind_);
      case Op::Neg:
      case Op::Not:
        return times(0, -1);
      case Op::Mul:
        return operand(0).affine() ? product(0, 1) : product(1, 0);
      case Op::Shl:
        return shifted_left();
      case Op::Convert:
        return converted();
      case Op::Bitcast:
        return inst_.operands[0]->type.is_int() ? operand(0) : plain();
      case Op::Wrap:
        return wrapped();
      case Op::FloorDiv:
      case Op::Shr:
        return quotient();
      case Op::FloorMod:
        return remainder();
      case Op::And:
        return divided_by() ? remainder() : bitwise();
      case Op::Or:
      case Op::Xor:
        return bitwise();
      case Op::Eq:
      case Op::Ne:
        return same_steps() ? uniform_shape(Level::GangUniform) : plain();
      case Op::Lt:
      case Op::Le:
      case Op::Gt:
      case Op::Ge:
        return compares_alike() ? uniform_shape(Level::GangUniform) : plain();
      default:
        return plain();
    }
  }

  Shape times(size_t i, int64_t factor) const {
    if (!operand(i).affine()) return operand(i);
    return scale(operand(i), {true, factor}, c_.layout, kind_);
  }

  Shape product(size_t affine, size_t other) const {
    if (!operand(other).uniform()) return varying_shape();
    return scale(operand(affine), constant(other), c_.layout, kind_);
  }

  Step constant(size_t i) const {
    const Interval& r = range(i);
    if (!r.single()) return kUnknown;
    return {true, static_cast<int64_t>(static_cast<uint64_t>(r.lo))};
  }

  // Counts are unsigned; a negative one of a signed type is beyond the width.
  Shape shifted_left() const {
    if (!operand(1).uniform()) return varying_shape();
    const Interval& count = range(1);
    if (!count.single() || count.lo < 0 || count.lo >= bits_of(kind_)) {
      return scale(operand(0), kUnknown, c_.layout, kind_);
    }
    const auto factor = uint64_t{1} << static_cast<int>(count.lo);
    return scale(operand(0), {true, static_cast<int64_t>(factor)}, c_.layout, kind_);
  }

  Shape converted() const {
    const ir::Type from = inst_.operands[0]->type;
    if (!from.is_int()) return plain();
    const bool keeps = bits_of(kind_) <= from.bits() || widens(from);
    return keeps ? scale(operand(0), kOne, c_.layout, kind_) : varying_shape();
  }

  // Small unsigned numbers extend by zeros or by sign alike, or not at all.
  bool widens(ir::Type from) const {
    if (!extends(operand(0), range(0), c_.layout, from.bits())) return false;
    const bool small = from.bits() < 32 && !from.is_signed();
    return !small || range(0).lo >= offsets(operand(0), c_.layout)->hi;
  }

  Shape wrapped() const {
    const bool index = range(0).within({0, INT64_MAX}) && operand(0).affine();
    const int bits = inst_.operands[0]->type.bits();
    if (index && (bits == 64 || widens(inst_.operands[0]->type))) {
      return scale(operand(0), kOne, c_.layout, kind_);
    }
    return plain();
  }

  // The logarithm of a power of two by which an affine value of known steps is divided.
  std::optional<int> divided_by() const {
    const bool known = operand(0).affine() && operand(0).s0.known && operand(0).s1.known;
    return known ? division_by_power_of_two(inst_, range(1)) : std::nullopt;
  }

  uint32_t factor(size_t i = 0) const { return c_.congruences[inst_.operands[i]->id].factor(); }
  bool divides_base(int by) const { return factor() >= uint32_t{1} << by; }

  // The base lies at a multiple of a smaller power of two, and no lane gets to the next.
  bool keeps_quotient(size_t i = 0) const {
    return offsets(operand(i), c_.layout)->within({0, Wide{factor(i)} - 1});
  }

  Shape quotient() const {
    const std::optional<int> by = divided_by();
    const ir::Type type = inst_.operands[0]->type;
    if (!by || !extends(operand(0), range(0), c_.layout, type.bits())) return plain();
    if (divides_base(*by)) return of_offsets([&](int64_t offset) { return offset >> *by; });
    return keeps_quotient() ? uniform_shape(Level::GangUniform) : plain();
  }

  // A remainder has the low bits alone: it does not matter whether lanes wrapped.
  Shape remainder() const {
    const std::optional<int> by = divided_by();
    if (!by) return plain();
    const int64_t low_bits = (int64_t{1} << *by) - 1;
    if (divides_base(*by)) return of_offsets([&](int64_t offset) { return offset & low_bits; });
    return keeps_quotient() ? operand(0) : plain();
  }

  // Bits of an affine value and a constant: the base is zero in the bits in which lanes differ.
  Shape bitwise() const {
    const size_t affine = operand(0).affine() ? 0 : 1, other = 1 - affine;
    const Shape& lanes = operand(affine);
    if (!range(other).single() || !lanes.s0.known || !lanes.s1.known) return plain();
    if (!keeps_quotient(affine)) return plain();
    const int64_t low = constant(other).value & (int64_t{factor(affine)} - 1);
    const auto of = [&](int64_t x) {
      return inst_.op == Op::And ? x & low : inst_.op == Op::Or ? x | low : x ^ low;
    };
    return of_offsets([&](int64_t offset) { return of(offset) - of(0); }, affine);
  }

  // f of what each lane is away from the base, where that is again steps by column and row.
  template <class F>
  Shape of_offsets(F&& f, size_t i = 0) const {
    const uint32_t period = operand(i).period_in(c_.layout), width = c_.layout.width;
    std::vector<int64_t> lanes(width);
    for (uint32_t lane = 0; lane < width; ++lane)
      lanes[lane] =
          f(static_cast<int64_t>(static_cast<uint64_t>(operand(i).s0.value) * (lane % period) +
                                 static_cast<uint64_t>(operand(i).s1.value) * (lane / period)));
    if (const auto steps = in_rows(lanes, c_.layout.period)) return *steps;
    for (uint32_t own = 2; own < width; own *= 2)
      if (const auto steps = in_rows(lanes, own)) return *steps;
    return varying_shape();
  }

  std::optional<Shape> in_rows(const std::vector<int64_t>& lanes, uint32_t period) const {
    const auto width = static_cast<uint32_t>(lanes.size());
    const int64_t s0 = period > 1 ? lanes[1] : 0, s1 = period < width ? lanes[period] : 0;
    for (uint32_t lane = 0; lane < width; ++lane)
      if (lanes[lane] != s0 * (lane % period) + s1 * (lane / period)) return std::nullopt;
    return affine_shape({true, s0}, {true, s1}, c_.layout, kind_, period);
  }

  bool same_steps() const {
    const Shape &a = operand(0), &b = operand(1);
    return inst_.operands[0]->type.is_int() && a == b && a.s0.known && a.s1.known;
  }

  // Whether no two lanes lie on different sides of what they are compared with, by the low bits
  // of that and of the base: whole warps are in `thread_idx.x < 32`, or none of their lanes.
  bool compares_alike() const {
    const size_t affine = operand(0).affine() ? 0 : 1, other = 1 - affine;
    const auto lanes = offsets(operand(affine), c_.layout);
    const ir::Type type = inst_.operands[affine]->type;
    if (!lanes || !operand(other).uniform()) return false;
    if (!extends(operand(affine), range(affine), c_.layout, type.bits())) return false;
    const Congruence base = c_.congruences[inst_.operands[affine]->id],
                     limit = c_.congruences[inst_.operands[other]->id];
    const bool itself_below = (inst_.op == Op::Le || inst_.op == Op::Gt) != (affine == 1);
    // The base of unsigned numbers must not have wrapped where other lanes have not.
    return on_one_side(base, *lanes, add(limit, congruence_of(itself_below ? 1 : 0))) &&
           (type.is_signed() || on_one_side(base, *lanes, congruence_of(0)));
  }

  // Whether all lanes are below the limit or none.
  static bool on_one_side(Congruence base, const Interval& lanes, Congruence limit) {
    const uint64_t lowest = uint64_t{base.value} + static_cast<uint64_t>(lanes.lo);
    const uint64_t above = limit.value - lowest - 1,
                   modulus = std::min(base.modulus, limit.modulus);
    return (above & (modulus - 1)) >= static_cast<uint64_t>(lanes.hi - lanes.lo);
  }

  // A condition of gangs chooses for gangs.
  Shape select() const {
    Shape s = join(operand(1), operand(2));
    if (s.uniform()) s.level = join(s.level, operand(0).level);
    return s;
  }

  // The lanes of a gang load together; other gangs may see what was stored meanwhile.
  Shape load() const {
    const Shape address = plain();
    if (!address.uniform()) return varying_shape();
    if (c_.invariant_shared_loads[inst_.id])
      return uniform_shape(std::max(address.level, Level::BlockUniform));
    const Inst& array = *inst_.operands[0];
    if (is_constant(array)) return address;
    if (array.op != Op::Param) return uniform_shape(Level::GangUniform);
    const auto param = static_cast<size_t>(array.imm);
    const ArrayFacts& facts = c_.function.params[param].facts;
    const bool constant = facts.read_only && facts.no_alias && !c_.changing_arrays[param];
    return constant ? address : uniform_shape(Level::GangUniform);
  }

  bool is_constant(const Inst& array) const {
    return array.op == Op::Array &&
           c_.function.arrays[static_cast<size_t>(array.imm)].is_constant();
  }

  // Each thread has a local array of its own.
  Shape own_array() const {
    if (is_constant(inst_)) return uniform_shape(Level::LaunchUniform);
    const bool local = inst_.type.space == ir::AddressSpace::Local;
    return local ? varying_shape() : uniform_shape(Level::BlockUniform);
  }

  // An extent or stride is that of an array of the launch, or one that a view states.
  Shape array_number() const {
    const Inst& array = *inst_.operands[0];
    if (array.op != Op::View) return uniform_shape(Level::LaunchUniform);
    const size_t first = inst_.op == Op::Extent ? 2 : 2 + size_t{array.type.ndim};
    return c_.shapes[array.operands[first + static_cast<size_t>(inst_.imm)]->id];
  }

  Shape thread_idx() const {
    const auto& block = c_.function.launch.block;
    const bool known = c_.function.launch.has_block();
    const auto axis = static_cast<size_t>(inst_.imm);
    if (known && block[axis] == 1) return uniform_shape(Level::LaunchUniform);
    if (!known) return varying_shape();
    if (c_.layout.kind == LaneLayout::Kind::Linear) return linear_idx(axis, block);
    if (axis == 0) return affine_shape(kOne, kZero, c_.layout, kind_);
    if (axis == 1) return affine_shape(kZero, kOne, c_.layout, kind_);
    return uniform_shape(Level::GangUniform);
  }

  Shape linear_idx(size_t axis, const std::array<uint32_t, 3>& block) const {
    uint32_t inner = 1;  // threads that share this index
    for (size_t a = 0; a < axis; ++a) inner *= block[a];
    if (inner % c_.layout.width == 0 && axis > 0) return uniform_shape(Level::GangUniform);
    const bool one_row = block[0] * block[1] * block[2] == block[axis];
    if (inner == 1 && (one_row || block[axis] % c_.layout.width == 0)) {
      return affine_shape(kOne, kZero, c_.layout, kind_);
    }
    return varying_shape();
  }

  Shape lane_id() const {
    const Step row{true, c_.layout.period};
    return affine_shape(kOne, row, c_.layout, kind_);
  }

  const Inst& inst_;
  const ShapeContext& c_;
  ScalarKind kind_;
};

}  // namespace

std::optional<int> division_by_power_of_two(const Inst& inst, Interval by) {
  constexpr int kMost = 30;
  if (!by.single() || by.lo < 0 || by.lo > (Wide{1} << kMost)) return std::nullopt;
  const auto number = static_cast<uint64_t>(by.lo);
  if (inst.op == Op::Shr)
    return number <= kMost ? std::optional(static_cast<int>(number)) : std::nullopt;
  const uint64_t divisor = inst.op == Op::And ? number + 1 : number;
  return std::has_single_bit(divisor) ? std::optional(std::countr_zero(divisor)) : std::nullopt;
}

Shape shape_of(const Inst& inst, const ShapeContext& context) {
  return ShapeRules(inst, context).run();
}

Shape counter_shape(const Inst& loop, const ShapeContext& context) {
  const Shape& start = context.shapes[loop.operands[0]->id];
  const Shape& step = context.shapes[loop.operands[2]->id];
  if (!step.uniform()) return varying_shape();
  return add(start, step, context.layout, loop.operands[0]->type.scalar());
}

}  // namespace cuda_device::analysis
