// Why two lanes decide for all. The lanes of an affine value of b bits lie, modulo 2**b, between
// the least and the greatest, which are less than 2**b apart. Where the least is not more than the
// greatest, nothing has wrapped from the one to the other, and every lane is a number between them;
// so it is where neither is negative, and then each number is the same in every integer type of at
// least b bits. A comparison by < or > with one bound is true of a lane if it is of both ends.
#include "codegen/host/memory/unclamped_index.h"

#include <algorithm>
#include <bit>

#include "analysis/lanes/shape_algebra.h"

namespace cuda_device::codegen::host {

using analysis::Wide;
using ir::Op;
using llvm::Value;

namespace {

// What is converted, where conversions keep every number.
const ir::Inst& unconverted(const ir::Inst& inst) {
  if (inst.op != Op::Convert || !inst.type.is_int()) return inst;
  const ir::Inst& from = *inst.operands[0];
  const bool sign_fits = from.type.is_signed() == inst.type.is_signed() || !from.type.is_signed();
  const bool keeps = from.type.is_int() && from.type.bits() < inst.type.bits() && sign_fits;
  return keeps ? unconverted(from) : inst;
}

bool is_low_bits(const analysis::Range& mask) {
  return mask.lo == mask.hi && mask.lo >= 0 && mask.hi < INT64_MAX &&
         std::has_single_bit(static_cast<uint64_t>(mask.hi) + 1);
}

bool orders(const ir::Inst& condition) {
  const bool by_order = condition.op == Op::Lt || condition.op == Op::Le ||
                        condition.op == Op::Gt || condition.op == Op::Ge;
  return by_order && condition.operands[0]->type.is_int();
}

}  // namespace

// ------------------------------------------------------------------------------------------------
// the unclamped value of an index

UnclampedIndices::Layer UnclampedIndices::bounded(const Inst& inst) const {
  const Inst *x = inst.operands[0], *y = inst.operands[1];
  const bool either = inst.op != Op::FloorMod;
  const Layer by = uniform(*y) ? Layer{x, y} : either && uniform(*x) ? Layer{y, x} : Layer{};
  if (!by.bound) return {};
  const analysis::Range& bound = c_.analysis().range(*by.bound);
  if (inst.op == Op::And && !is_low_bits(bound)) return {};
  const bool not_positive = bound.hi <= 0 && !bound.unsigned_overflow;
  return inst.op == Op::Max && not_positive ? Layer{by.inside} : by;
}

// The layer of a select that compares an affine value with a bound.
UnclampedIndices::Layer UnclampedIndices::chosen(const Inst& select) const {
  const Inst &condition = *select.operands[0], *yes = select.operands[1], *no = select.operands[2];
  if (!orders(condition) || uniform(*yes) == uniform(*no)) return {};
  const Layer sides = bounded(condition);
  if (!sides.inside || !offsets(unconverted(*sides.inside))) return {};
  return {uniform(*yes) ? no : yes, sides.bound};
}

UnclampedIndices::Layer UnclampedIndices::layer(const Inst& inst) const {
  switch (inst.op) {
    case Op::Wrap:
    case Op::Abs:
      return {inst.operands[0]};
    case Op::Convert:
    case Op::Bitcast:
      return inst.operands[0]->type.is_int() ? Layer{inst.operands[0]} : Layer{};
    case Op::Min:
    case Op::Max:
    case Op::FloorMod:
    case Op::And:
      return bounded(inst);
    case Op::Select:
      return chosen(inst);
    default:
      return {};
  }
}

const ir::Inst* UnclampedIndices::unclamped(const Inst& index) const {
  int bits = 64;  // of the narrowest layer
  for (const Inst* at = &index; at; at = layer(*at).inside) {
    const Lanes& lanes = values_.of(*at);
    if (!lanes.varying()) return offsets(*at) && bits_of(lanes.held) <= bits ? at : nullptr;
    bits = std::min(bits, at->type.bits());
  }
  return nullptr;
}

// The lanes' offsets from the base; none where lanes may be too far apart.
std::optional<analysis::Interval> UnclampedIndices::offsets(const Inst& affine) const {
  const Lanes& lanes = values_.of(affine);
  if (!lanes.affine()) return std::nullopt;
  const auto offsets = analysis::offsets(c_.analysis().shape(affine), c_.analysis().layout);
  const Wide quarter = Wide{1} << (bits_of(lanes.held) - 2);
  return offsets && offsets->within({-quarter, quarter}) ? offsets : std::nullopt;
}

// ------------------------------------------------------------------------------------------------
// the test

UnclampedIndices::Ends UnclampedIndices::ends(const Inst& affine) {
  const Lanes& lanes = values_.of(affine);
  const analysis::Interval from_base = *offsets(affine);
  const auto at = [&](Wide offset) {
    return c_.b.CreateAdd(lanes.value, c_.integer(lanes.held, static_cast<int64_t>(offset)));
  };
  return {lanes.held, at(from_base.lo), at(from_base.hi)};
}

// The ends as 64 bits of that signedness.
UnclampedIndices::Ends UnclampedIndices::widened(const Ends& of, bool is_signed) {
  const ScalarKind wide = is_signed ? ScalarKind::I64 : ScalarKind::U64;
  const auto convert = [&](Value* end) { return c_.arithmetic.convert(of.kind, wide, end); };
  return {wide, convert(of.least), convert(of.greatest)};
}

Value* UnclampedIndices::compare(Op op, ScalarKind kind, Value* x, Value* y) {
  return c_.arithmetic.emit(op, kind, ScalarKind::Bool, {x, y});
}

// Whether the same side is chosen in all lanes, the one that is inside.
Value* UnclampedIndices::chooses(const Inst& select, const Layer& layer, Value* bound) {
  const Inst& condition = *select.operands[0];
  const bool bound_first = layer.bound == condition.operands[0];
  const Inst& affine = unconverted(*condition.operands[bound_first ? 1 : 0]);
  const Ends of = widened(ends(affine), layer.bound->type.is_signed());
  const auto at = [&](Value* end) {
    return bound_first ? compare(condition.op, of.kind, bound, end)
                       : compare(condition.op, of.kind, end, bound);
  };
  Value *least = at(of.least), *greatest = at(of.greatest);
  Value* same = layer.inside == select.operands[1] ? c_.b.CreateAnd(least, greatest)
                                                   : c_.b.CreateNot(c_.b.CreateOr(least, greatest));
  return c_.b.CreateAnd(compare(Op::Le, of.kind, of.least, of.greatest), same);
}

// Whether the layer changes none of the lanes between ends that are not negative. Null: certainly
// none.
Value* UnclampedIndices::unchanged(const Inst& inst, const Layer& layer, const Ends& ends) {
  if (!layer.bound) return nullptr;
  const ScalarKind kind = layer.bound->type.scalar();
  const Ends of = widened(ends, is_signed_int(kind));
  Value* bound = c_.arithmetic.convert(kind, of.kind, values_.scalar(*layer.bound, kind));
  switch (inst.op) {
    case Op::Max:
      return compare(Op::Ge, of.kind, of.least, bound);
    case Op::FloorMod:
      return compare(Op::Lt, of.kind, of.greatest, bound);
    case Op::Select:
      return chooses(inst, layer, bound);
    default:  // min, and with low bits
      return compare(Op::Le, of.kind, of.greatest, bound);
  }
}

Value* UnclampedIndices::holds(const Inst& index) {
  const Inst* value = unclamped(index);
  const Ends of = ends(*value);
  Value* either = c_.b.CreateOr(of.least, of.greatest);
  Value* all = c_.b.CreateICmpSGE(either, llvm::Constant::getNullValue(either->getType()));
  for (const Inst* at = &index; at != value;) {
    const Layer outer = layer(*at);
    if (Value* test = unchanged(*at, outer, of)) all = c_.b.CreateAnd(all, test);
    at = outer.inside;
  }
  return all;
}

}  // namespace cuda_device::codegen::host
