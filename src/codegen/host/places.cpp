#include "codegen/host/places.h"

#include "analysis/congruence.h"
#include "analysis/shape_algebra.h"

namespace cuda_device::codegen::host {

using ir::Inst;
using llvm::Value;

// Steps are known where this folds: zero times a stride that is not.
Value* Places::product(Value x, Value y) {
  if (is_constant(x, 0) || is_constant(y, 1)) return x;
  if (is_constant(y, 0) || is_constant(x, 1)) return y;
  return c_.b.CreateMul(x, y);
}

Value* Places::sum(Value x, Value y) {
  if (is_constant(x, 0)) return y;
  return is_constant(y, 0) ? x : c_.b.CreateAdd(x, y);
}

// Whether active lanes of an affine index keep their steps as int64. A signed one does: in bounds
// it is not negative, so between two active lanes nothing wrapped. An unsigned one might have,
// unless its values are known to be small.
bool Places::steps_in_int64(const Inst& index, ScalarKind offset) const {
  const Lanes& lanes = values_.of(index);
  const int bits = bits_of(lanes.held);
  if (bits == 64 || is_signed_int(lanes.held)) return true;
  if (bits == 32 && offset == ScalarKind::I32) return true;
  return c_.source.analysis.range(index).hi < int64_t{1} << (bits - 1);
}

// An index by its sign bit extended to int64: with the above, right in every active lane.
static Value* widen(llvm::IRBuilder<>& b, Value* value) {
  return b.CreateSExtOrTrunc(value, with_lanes_of(value->getType(), b.getInt64Ty()));
}

void Places::add_uniform(Place& place, const Term& term) {
  const Lanes& lanes = values_.of(*term.index);
  const bool zero_extend = is_unsigned_int(lanes.held) || is_bool(lanes.held);
  Value position =
      zero_extend ? c_.b.CreateZExt(lanes.value, c_.b.getInt64Ty()) : widen(c_.b, lanes.value);
  place.pointer = c_.b.CreateGEP(c_.b.getInt8Ty(), place.pointer, product(position, term.stride));
}

void Places::add_affine(Place& place, const Term& term) {
  const Lanes lanes = values_.in_rows_of(values_.of(*term.index), place.period);
  auto scaled = [&](Value x) { return product(widen(c_.b, x), term.stride); };
  place.pointer = c_.b.CreateGEP(c_.b.getInt8Ty(), place.pointer, scaled(lanes.value));
  place.s0 = sum(place.s0, scaled(lanes.s0));
  place.s1 = sum(place.s1, scaled(lanes.s1));
}

// One index whose stride is a size of an element leaves the multiplication to the instruction.
void Places::add_varying(Place& place, const Term& term, bool only) {
  const ScalarKind kind = place.offset;
  const ScalarKind held = values_.of(*term.index).held;
  Value stride = term.stride;
  Value numbers = c_.arithmetic.convert(held, kind, values_.vector(*term.index, held));
  if (only && is_constant(stride, place.element.bytes())) {
    place.offsets = {numbers, place.element.bytes()};
    return;
  }
  const bool one = !stride->getType()->isVectorTy();
  Value steps = one ? c_.b.CreateVectorSplat(c_.width(), stride) : stride;
  Value part = c_.b.CreateMul(numbers, c_.b.CreateTrunc(steps, numbers->getType()));
  Value& all = place.offsets.numbers;
  all = all ? c_.b.CreateAdd(all, part) : part;
}

bool Places::is_one(const Term& term) const {
  return values_.of(*term.index).uniform() && !term.stride->getType()->isVectorTy();
}

// The rows of the index that has its own; else the layout's.
unsigned Places::common_period(llvm::ArrayRef<Term> terms) const {
  const unsigned usual = c_.source.analysis.layout.period;
  for (const Term& term : terms) {
    const Lanes& lanes = values_.of(*term.index);
    if (lanes.affine() && lanes.period != usual) return lanes.period;
  }
  return usual;
}

bool Places::has_steps(const Term& term, const Place& place) {
  const Lanes& lanes = values_.of(*term.index);
  return lanes.affine() && !term.stride->getType()->isVectorTy() &&
         (term.checked || steps_in_int64(*term.index, place.offset)) &&
         values_.in_rows_of(lanes, place.period).period == place.period;
}

// The sum of indices by strides, which are known for arrays of the block.
analysis::Congruence Places::start_of(llvm::ArrayRef<Term> terms) const {
  analysis::Congruence sum = analysis::congruence_of(0);
  for (const Term& term : terms) {
    const auto* stride = llvm::dyn_cast<llvm::ConstantInt>(term.stride);
    if (!stride) return {};
    sum = add(sum, multiply(c_.source.analysis.congruences[term.index->id],
                            analysis::congruence_of(stride->getZExtValue())));
  }
  return sum;
}

// The terms of an address: indices by strides, and what a view is away from its array.
Place Places::of(const Inst& inst, size_t indices, bool checked) {
  const ArrayPlace array = arrays_.place(*inst.operands[0]);
  Place place;
  place.element = array.element;
  place.offset = array.offset;
  place.pointer = array.pointer;
  place.s0 = place.s1 = c_.b.getInt64(0);
  llvm::SmallVector<Term, 4> terms;
  for (size_t i = 0; i < indices; ++i) {
    const Inst* index = inst.operands[1 + i];
    const bool bare = checked && may_be_checked(*index);
    terms.push_back({bare ? index->operands[0] : index, array.strides[i], bare});
  }
  for (const Inst* offset : array.offsets) terms.push_back({offset, c_.b.getInt64(array.unit)});
  bool affine = array.lane_step != 0, varying = false;
  int not_uniform = affine;
  place.period = common_period(terms);
  for (const Term& term : terms) {
    affine = affine || values_.of(*term.index).affine();
    not_uniform += !is_one(term);
    varying = varying || !(is_one(term) || has_steps(term, place));
  }
  for (const Term& term : terms) {
    if (is_one(term))
      add_uniform(place, term);
    else if (varying)
      add_varying(place, term, not_uniform == 1);
    else
      add_affine(place, term);
  }
  if (array.lane_step != 0) add_lanes(place, array.lane_step, varying);
  if (array.own_lines) place.start = start_of(terms);
  place.kind = varying ? Lanes::Kind::Varying : affine ? Lanes::Kind::Affine : Lanes::Kind::Uniform;
  return place;
}

// ------------------------------------------------------------------------------------------
// indices that may be negative or wrap

// Python's rule for negative indices takes the steps away from an affine one, for which it may
// change some lanes and not others: of `a[y * width + x]` no more is known than that it is int32.
bool Places::may_be_checked(const Inst& index) const {
  if (index.op != ir::Op::Wrap || !values_.of(index).varying()) return false;
  const Inst& bare = *index.operands[0];
  const auto offsets = analysis::offsets(c_.source.analysis.shape(bare), c_.source.analysis.layout);
  return values_.of(bare).affine() && bits_of(values_.of(bare).held) >= 32 && offsets &&
         offsets->within({-INT32_MAX / 2, INT32_MAX / 2});
}

// i1: neither the least nor the greatest lane is negative, nor any between them, which are less
// than 2**31 apart. Null where that would not help.
Value* Places::no_lane_is_negative(const Inst& inst, size_t indices) {
  Value all = nullptr;
  for (size_t i = 0; i < indices; ++i) {
    const Inst& index = *inst.operands[1 + i];
    if (!may_be_checked(index)) {
      if (values_.of(index).varying()) return nullptr;
      continue;
    }
    const Inst& bare = *index.operands[0];
    const Lanes& lanes = values_.of(bare);
    const auto offsets =
        *analysis::offsets(c_.source.analysis.shape(bare), c_.source.analysis.layout);
    const auto at = [&](analysis::Wide offset) {
      return c_.b.CreateAdd(lanes.value, c_.integer(lanes.held, static_cast<int64_t>(offset)));
    };
    Value ends = c_.b.CreateOr(at(offsets.lo), at(offsets.hi));
    Value fine = c_.b.CreateICmpSGE(ends, llvm::Constant::getNullValue(ends->getType()));
    all = all ? c_.b.CreateAnd(all, fine) : fine;
  }
  return all;
}

// Each lane's own element.
void Places::add_lanes(Place& place, uint64_t step, bool varying) {
  if (!varying) {
    place.s0 = sum(place.s0, c_.b.getInt64(step));
    place.s1 = sum(place.s1, c_.b.getInt64(step * place.period));
    return;
  }
  llvm::Constant* lanes = values_.lane_numbers(place.offset);
  Value part = c_.b.CreateMul(lanes, llvm::ConstantInt::get(lanes->getType(), step));
  place.offsets = {c_.b.CreateAdd(place.offsets.numbers, part), 1};
}

}  // namespace cuda_device::codegen::host
