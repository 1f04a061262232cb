#include "analysis/ranges/range_transfer.h"

#include <algorithm>
#include <bit>

#include "support/launch_limits.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

constexpr Wide kMaxI31 = INT32_MAX;
// CUDA's limits of a launch, which the runtime checks.
constexpr std::array<Wide, 3> kMaxGrid{INT32_MAX, 65535, 65535};

Wide floor_divide(Wide a, Wide b) {
  const Wide q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

// The interval of all numbers up to the highest bit of v.
Wide ones_up_to(Wide v) {
  Wide ones = 0;
  while (ones < v) ones = ones * 2 + 1;
  return ones;
}

class Positions {
 public:
  explicit Positions(const ir::Function& f) : launch_(f.launch) {}

  Interval block_dim(size_t a) const {
    if (launch_.has_block()) return {launch_.block[a], launch_.block[a]};
    return {1, kLargestBlock[a]};
  }
  Interval thread_idx(size_t a) const { return {0, block_dim(a).hi - 1}; }
  Interval grid_dim(size_t a) const {
    const Wide fitting = launch_.grid_fits_31 ? kMaxI31 / block_dim(a).lo : kMaxGrid[a];
    return {1, std::min(kMaxGrid[a], std::max(fitting, Wide{1}))};
  }
  Interval block_idx(size_t a) const { return {0, grid_dim(a).hi - 1}; }
  Interval grid_size(size_t a) const {
    const Wide most = grid_dim(a).hi * block_dim(a).hi;
    return {1, launch_.grid_fits_31 ? std::min(most, kMaxI31) : most};
  }
  Interval tid(size_t a) const { return {0, grid_size(a).hi - 1}; }
  Wide threads() const {
    return std::min(block_dim(0).hi * block_dim(1).hi * block_dim(2).hi, Wide{kMostThreadsOfBlock});
  }
  // The first thread of a block.
  Interval block_start(size_t a) const {
    return {0, std::max(grid_size(a).hi - block_dim(a).lo, Wide{0})};
  }

 private:
  const LaunchFacts& launch_;
};

// Looks through conversions that keep the value.
const Inst& bare(const Inst& inst, const RangeOf& of) {
  const Inst* i = &inst;
  while (i->op == Op::Convert && i->type.is_int() && i->operands[0]->type.is_int() &&
         of(*i->operands[0]).within(full(i->type.scalar()))) {
    i = i->operands[0];
  }
  return *i;
}

// The two operands, in either order.
template <class F>
bool either_order(const Inst& inst, const RangeOf& of, F&& matches) {
  const Inst &a = bare(*inst.operands[0], of), &b = bare(*inst.operands[1], of);
  return matches(a, b) || matches(b, a);
}

bool is_product(const Inst& inst, Op first, const RangeOf& of) {
  return inst.op == Op::Mul && either_order(inst, of, [&](const Inst& a, const Inst& b) {
           return a.op == first && b.op == Op::BlockDim && a.imm == b.imm;
         });
}

// block_idx * block_dim, that plus thread_idx, and grid_dim * block_dim, written by hand: their
// bound is a fact of the launch that the bounds of the factors do not show.
std::optional<Interval> written_position(const Inst& inst, const ir::Function& f,
                                         const RangeOf& of) {
  const Positions p(f);
  if (inst.op == Op::Mul) {
    const auto axis = [&] { return static_cast<size_t>(bare(*inst.operands[0], of).imm); };
    if (is_product(inst, Op::BlockIdx, of)) return p.block_start(axis());
    if (is_product(inst, Op::GridDim, of)) return p.grid_size(axis());
  }
  if (inst.op != Op::Add) return std::nullopt;
  std::optional<Interval> found;
  either_order(inst, of, [&](const Inst& a, const Inst& b) {
    if (b.op != Op::ThreadIdx || !is_product(a, Op::BlockIdx, of)) return false;
    if (bare(*a.operands[0], of).imm != b.imm) return false;
    if (!p.block_start(static_cast<size_t>(b.imm)).within(full(a.type.scalar()))) return false;
    found = p.tid(static_cast<size_t>(b.imm));
    return true;
  });
  return found;
}

class Rules {
 public:
  Rules(const Inst& inst, const ir::Function& f, const RangeOf& of)
      : inst_(inst), f_(f), of_(of), all_(full(inst.type.scalar())) {}

  Interval run() const {
    if (inst_.type.is_bool()) return truth();
    if (const auto known = written_position(inst_, f_, of_)) return wrap(*known, kind());
    return wrap(number().value_or(all_), kind());
  }

 private:
  ScalarKind kind() const { return inst_.type.scalar(); }
  Interval operand(size_t i) const { return of_(*inst_.operands[i]); }
  bool integers() const {
    return std::all_of(inst_.operands.begin(), inst_.operands.end(),
                       [](const Inst* o) { return o->type.is_int() || o->type.is_bool(); });
  }
  size_t axis() const { return static_cast<size_t>(inst_.imm); }

  // The result as a mathematical integer; none: anything.
  std::optional<Interval> number() const {
    switch (inst_.op) {
      case Op::Const:
        return constant();
      case Op::Popc:
      case Op::Clz:
      case Op::Ffs:
        return Interval{0, inst_.operands[0]->type.bits()};
      case Op::FrexpExponent:
        return Interval{-1073, 1024};
      case Op::BarrierCount:
        return Interval{0, Positions(f_).threads()};
      default:
        break;
    }
    if (inst_.operands.empty()) return position();
    if (inst_.op == Op::Extent || inst_.op == Op::Stride) return array_fact();
    if (!integers()) return std::nullopt;
    return inst_.operands.size() == 1 ? unary(operand(0)) : computed(operand(0), operand(1));
  }

  Interval constant() const {
    if (is_unsigned_int(kind()))
      return {static_cast<uint64_t>(inst_.imm), static_cast<uint64_t>(inst_.imm)};
    return {inst_.imm, inst_.imm};
  }

  std::optional<Interval> position() const {
    const Positions p(f_);
    switch (inst_.op) {
      case Op::ThreadIdx:
        return p.thread_idx(axis());
      case Op::BlockIdx:
        return p.block_idx(axis());
      case Op::BlockDim:
        return p.block_dim(axis());
      case Op::GridDim:
        return p.grid_dim(axis());
      case Op::Tid:
        return p.tid(axis());
      case Op::GridSize:
        return p.grid_size(axis());
      case Op::LaneId:
        return Interval{0, kWarpWidth - 1};
      default:
        return std::nullopt;
    }
  }

  std::optional<Interval> array_fact() const {
    const Inst& array = *inst_.operands[0];
    const bool extent = inst_.op == Op::Extent;
    if (array.op == Op::View) return operand_of_view(array, extent);
    if (array.op == Op::Array) return own_array(array, extent);
    if (array.op == Op::DynamicShared)
      return extent ? Interval{0, kMostSharedBytes} : Interval{1, 1};
    const bool fits =
        array.op == Op::Param && f_.params[static_cast<size_t>(array.imm)].facts.fits_31;
    if (inst_.op == Op::Extent) return Interval{0, fits ? kMaxI31 : Wide{INT64_MAX}};
    if (fits) return Interval{-kMaxI31 - 1, kMaxI31};
    return std::nullopt;
  }

  std::optional<Interval> operand_of_view(const Inst& view, bool extent) const {
    return of_(*view.operands[2 + axis() + (extent ? 0 : size_t{view.type.ndim})]);
  }

  std::optional<Interval> own_array(const Inst& array, bool extent) const {
    const ir::Allocation& a = f_.arrays[static_cast<size_t>(array.imm)];
    const int64_t number = extent ? a.shape[axis()] : a.strides[axis()];
    return Interval{number, number};
  }

  std::optional<Interval> unary(Interval a) const {
    switch (inst_.op) {
      case Op::Neg:
        return Interval{-a.hi, -a.lo};
      case Op::Not:
        return Interval{-1 - a.hi, -1 - a.lo};
      case Op::Abs:
        if (a.lo >= 0) return a;
        return Interval{a.hi <= 0 ? -a.hi : Wide{0}, std::max(-a.lo, a.hi)};
      case Op::Convert:
      case Op::Bitcast:
        return a;
      default:
        return std::nullopt;
    }
  }

  std::optional<Interval> computed(Interval a, Interval b) const {
    switch (inst_.op) {
      case Op::Add:
        return add(a, b);
      case Op::Sub:
        return subtract(a, b);
      case Op::Mul:
        return multiply(a, b);
      case Op::Min:
        return Interval{std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
      case Op::Max:
        return Interval{std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
      case Op::FloorDiv:
        return floor_div(a, b);
      case Op::FloorMod:
        return floor_mod(a, b);
      case Op::And:
      case Op::Or:
      case Op::Xor:
        return bitwise(a, b);
      case Op::Shl:
        return shift_left(a, b);
      case Op::Shr:
        return shift_right(a, b);
      case Op::Select:
        return select(a);
      case Op::Wrap:
        return python_index(a, b);
      default:
        return std::nullopt;
    }
  }

  static std::optional<Interval> floor_div(Interval a, Interval b) {
    if (b.holds(0)) return std::nullopt;
    const auto [lo, hi] = std::minmax({floor_divide(a.lo, b.lo), floor_divide(a.lo, b.hi),
                                       floor_divide(a.hi, b.lo), floor_divide(a.hi, b.hi)});
    return Interval{lo, hi};
  }

  // The sign of the divisor; a zero divisor gives the dividend.
  static Interval floor_mod(Interval a, Interval b) {
    if (a.lo >= 0 && a.hi < b.lo) return a;
    Interval r{std::min(b.lo + 1, Wide{0}), std::max(b.hi - 1, Wide{0})};
    if (a.lo >= 0 && b.lo >= 0) r.hi = std::min(r.hi, a.hi);
    return b.holds(0) ? hull(r, a) : r;
  }

  std::optional<Interval> bitwise(Interval a, Interval b) const {
    const bool both = a.lo >= 0 && b.lo >= 0;
    if (inst_.op == Op::And) {
      if (both) return Interval{0, std::min(a.hi, b.hi)};
      if (a.lo >= 0) return Interval{0, a.hi};
      if (b.lo >= 0) return Interval{0, b.hi};
      return std::nullopt;
    }
    if (!both) return std::nullopt;
    const Wide least = inst_.op == Op::Or ? std::max(a.lo, b.lo) : Wide{0};
    return Interval{least, ones_up_to(std::max(a.hi, b.hi))};
  }

  // Counts are unsigned: a negative one is beyond the width.
  std::optional<Interval> shift_left(Interval a, Interval count) const {
    if (count.lo < 0) return std::nullopt;
    const int bits = bits_of(kind());
    if (count.hi >= bits) return std::nullopt;
    return multiply(a,
                    {Wide{1} << static_cast<int>(count.lo), Wide{1} << static_cast<int>(count.hi)});
  }

  std::optional<Interval> shift_right(Interval a, Interval count) const {
    const Wide bits = bits_of(kind());
    const auto shifted = [&](Wide v, Wide n) { return v >> static_cast<int>(std::min(n, bits)); };
    const Wide least = count.lo < 0 ? Wide{0} : count.lo, most = count.lo < 0 ? bits : count.hi;
    return Interval{std::min(shifted(a.lo, least), shifted(a.lo, most)),
                    std::max(shifted(a.hi, least), shifted(a.hi, most))};
  }

  Interval select(Interval condition) const {
    if (condition.single()) return operand(condition.lo != 0 ? 1 : 2);
    return hull(operand(1), operand(2));
  }

  std::optional<Interval> python_index(Interval index, Interval extent) const {
    const Interval i64 = full(ScalarKind::I64);
    const Interval i = wrap(index, ScalarKind::I64);
    if (i.lo >= 0 || !inst_.operands[0]->type.is_signed()) return i;
    const auto moved = meet(i, {i64.lo, -1});
    const auto low = wrap(*add(*moved, extent), ScalarKind::I64);
    return i.hi < 0 ? low : hull(low, {0, i.hi});
  }

  Interval truth() const {
    if (inst_.op == Op::Const) return {inst_.imm, inst_.imm};
    if (inst_.op == Op::Not) return {1 - operand(0).hi, 1 - operand(0).lo};
    if (!integers() || inst_.operands.empty()) return all_;
    const Interval a = operand(0);
    if (inst_.op == Op::Convert) {
      if (!a.holds(0)) return {1, 1};
      return a.single() ? Interval{0, 0} : all_;
    }
    if (inst_.operands.size() < 2) return all_;
    if (inst_.op == Op::Select) return select(a);
    return relation(a, operand(1)).value_or(all_);
  }

  // Decided where the intervals do not overlap; and, or, xor of bools.
  std::optional<Interval> relation(Interval a, Interval b) const {
    const Interval no{0, 0}, yes{1, 1};
    const auto less = [&](Interval x, Interval y, bool or_equal) -> std::optional<Interval> {
      if (x.hi < y.lo || (or_equal && x.hi == y.lo)) return yes;
      if (x.lo > y.hi || (!or_equal && x.lo == y.hi)) return no;
      return std::nullopt;
    };
    switch (inst_.op) {
      case Op::Lt:
        return less(a, b, false);
      case Op::Le:
        return less(a, b, true);
      case Op::Gt:
        return less(b, a, false);
      case Op::Ge:
        return less(b, a, true);
      case Op::Eq:
      case Op::Ne: {
        const bool same = a.single() && a == b;
        if (!same && meet(a, b)) return std::nullopt;
        return same == (inst_.op == Op::Eq) ? yes : no;
      }
      case Op::And:
        return Interval{std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
      case Op::Or:
        return Interval{std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
      case Op::Xor:
        if (a.single() && b.single()) return Interval{a.lo ^ b.lo, a.lo ^ b.lo};
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  const Inst& inst_;
  const ir::Function& f_;
  const RangeOf& of_;
  Interval all_;
};

}  // namespace

Interval interval_of(const Inst& inst, const ir::Function& f, const RangeOf& of) {
  return Rules(inst, f, of).run();
}

Interval counter_interval(const Inst& loop, const RangeOf& of) {
  const Interval start = of(*loop.operands[0]), stop = of(*loop.operands[1]);
  const Interval step = of(*loop.operands[2]);
  Interval r{step.lo >= 0 ? start.lo : std::min(start.lo, stop.lo + 1),
             step.hi <= 0 ? start.hi : std::max(start.hi, stop.hi - 1)};
  // Bounded by the stop as well where all starts lie before it.
  if (step.lo >= 0) r.hi = std::max(stop.hi - 1, r.lo);
  if (step.hi <= 0) r.lo = std::min(stop.lo + 1, r.hi);
  return r;
}

}  // namespace cuda_device::analysis
