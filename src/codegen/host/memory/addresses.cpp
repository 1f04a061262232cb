#include "codegen/host/memory/addresses.h"

#include "analysis/lanes/congruence.h"
#include "ir/effects.h"

namespace cuda_device::codegen::host {

using ir::Inst;
using llvm::Value;

bool Address::is_linear() const {
  const unsigned bytes = element.bytes();
  if (kind != Lanes::Kind::Affine || !is_constant(s0, bytes)) return false;
  return period == lanes || is_constant(s1, int64_t{bytes} * period);
}

bool Address::has_records_side_by_side() const {
  if (record_bytes == 0 || kind != Lanes::Kind::Affine) return false;
  const auto bytes = static_cast<int64_t>(record_bytes);
  return is_constant(s0, bytes) && (period == lanes || is_constant(s1, bytes * period));
}

bool Address::is_in_rows() const {
  return kind == Lanes::Kind::Affine && period < lanes && is_constant(s0, element.bytes());
}

bool Address::is_one_a_row() const {
  return kind == Lanes::Kind::Affine && period < lanes && is_constant(s0, 0);
}

bool Address::has_constant_offsets() const {
  const auto known = [](Value* step) { return llvm::isa<llvm::Constant>(step); };
  if (offsets.numbers) return known(offsets.numbers);
  return known(s0) && (period == lanes || known(s1));
}

std::vector<RowPiece> Address::pieces(llvm::IRBuilder<>& b) const {
  if (is_linear()) return {{0, lanes, pointer}};
  std::vector<RowPiece> all;
  Value* row = pointer;
  for (unsigned number = 0; number < rows; ++number) {
    if (number > 0) row = b.CreateGEP(b.getInt8Ty(), row, s1);
    all.push_back({number * period, period, row});
  }
  return all;
}

// Steps are known where this folds: zero times a stride that is not.
Value* Addresses::product(Value* x, Value* y) {
  if (is_constant(x, 0) || is_constant(y, 1)) return x;
  if (is_constant(y, 0) || is_constant(x, 1)) return y;
  return c_.b.CreateMul(x, y);
}

Value* Addresses::sum(Value* x, Value* y) {
  if (is_constant(x, 0)) return y;
  return is_constant(y, 0) ? x : c_.b.CreateAdd(x, y);
}

// Whether active lanes of an affine index keep their steps as int64. A signed one does: in bounds
// it is not negative, so between two active lanes nothing wrapped. An unsigned one might have,
// unless its values are known to be small.
bool Addresses::steps_in_int64(const Inst& index, ScalarKind offset) const {
  const Lanes& lanes = values_.of(index);
  const int bits = bits_of(lanes.held);
  if (bits == 64 || is_signed_int(lanes.held)) return true;
  if (bits == 32 && offset == ScalarKind::I32) return true;
  return c_.analysis().range(index).hi < int64_t{1} << (bits - 1);
}

// Between lanes, or by the rule for negative indices.
bool Addresses::may_wrap(const Inst& index, ScalarKind offset) const {
  const Lanes& lanes = values_.of(index);
  return lanes.varying() || (lanes.affine() && !steps_in_int64(index, offset));
}

// An index by its sign bit extended to int64: with the above, right in every active lane.
static Value* widen(llvm::IRBuilder<>& b, Value* value) {
  return b.CreateSExtOrTrunc(value, with_lanes_of(value->getType(), b.getInt64Ty()));
}

void Addresses::add_uniform(Address& address, const Term& term) {
  const Lanes& lanes = values_.of(*term.index);
  const bool zero_extend = is_unsigned_int(lanes.held) || is_bool(lanes.held);
  Value* position =
      zero_extend ? c_.b.CreateZExt(lanes.value, c_.b.getInt64Ty()) : widen(c_.b, lanes.value);
  address.pointer =
      c_.b.CreateGEP(c_.b.getInt8Ty(), address.pointer, product(position, term.stride));
}

void Addresses::add_affine(Address& address, const Term& term) {
  const Lanes lanes = values_.in_rows_of(values_.of(*term.index), address.period);
  auto scaled = [&](Value* x) { return product(widen(c_.b, x), term.stride); };
  address.pointer = c_.b.CreateGEP(c_.b.getInt8Ty(), address.pointer, scaled(lanes.value));
  address.s0 = sum(address.s0, scaled(lanes.s0));
  address.s1 = sum(address.s1, scaled(lanes.s1));
}

// One index whose stride is a size of an element leaves the multiplication to the instruction.
void Addresses::add_varying(Address& address, const Term& term, bool only) {
  const ScalarKind kind = address.offset;
  const ScalarKind held = values_.of(*term.index).held;
  Value* stride = term.stride;
  Value* numbers = c_.arithmetic.convert(held, kind, values_.vector(*term.index, held));
  if (only && is_constant(stride, address.element.bytes())) {
    address.offsets = {numbers, address.element.bytes()};
    return;
  }
  const bool one = !stride->getType()->isVectorTy();
  Value* steps = one ? c_.b.CreateVectorSplat(c_.width(), stride) : stride;
  Value* part = c_.b.CreateMul(numbers, c_.b.CreateTrunc(steps, numbers->getType()));
  Value*& all = address.offsets.numbers;
  all = all ? c_.b.CreateAdd(all, part) : part;
}

bool Addresses::is_one(const Term& term) const {
  return values_.of(*term.index).uniform() && !term.stride->getType()->isVectorTy();
}

// The rows of the index that has its own; else the layout's.
unsigned Addresses::common_period(llvm::ArrayRef<Term> terms) const {
  const unsigned usual = c_.analysis().layout.period;
  for (const Term& term : terms) {
    const Lanes& lanes = values_.of(*term.index);
    if (lanes.affine() && lanes.period != usual) return lanes.period;
  }
  return usual;
}

bool Addresses::has_steps(const Term& term, unsigned period, ScalarKind offset) {
  const Lanes& lanes = values_.of(*term.index);
  return lanes.affine() && !term.stride->getType()->isVectorTy() &&
         (term.unclamped || steps_in_int64(*term.index, offset)) &&
         values_.in_rows_of(lanes, period).period == period;
}

bool Addresses::is_varying(llvm::ArrayRef<Term> terms, unsigned period, ScalarKind offset) {
  return llvm::any_of(terms,
                      [&](const Term& t) { return !is_one(t) && !has_steps(t, period, offset); });
}

// The sum of indices by strides, which are known for arrays of the block.
analysis::Congruence Addresses::start_of(llvm::ArrayRef<Term> terms) const {
  analysis::Congruence sum = analysis::congruence_of(0);
  for (const Term& term : terms) {
    const auto* stride = llvm::dyn_cast<llvm::ConstantInt>(term.stride);
    if (!stride) return {};
    sum = add(sum, multiply(c_.analysis().congruences[term.index->id],
                            analysis::congruence_of(stride->getZExtValue())));
  }
  return sum;
}

// The terms of an address: indices by strides, and what a view is away from its array.
Addresses::Terms Addresses::terms(const Inst& inst, const ArrayBase& array, bool unclamped) const {
  Terms all;
  const std::span<Inst* const> indices = ir::access_of(inst)->indices;
  for (const Inst* index : indices) {
    const Inst* value =
        unclamped && may_wrap(*index, array.offset) ? unclamped_.unclamped(*index) : nullptr;
    Value* stride = array.strides[all.size()];
    all.push_back({value ? value : index, stride, value != nullptr});
  }
  for (const Inst* offset : array.offsets) all.push_back({offset, c_.b.getInt64(array.unit)});
  return all;
}

Address Addresses::of(const Inst& inst, bool unclamped) {
  return of(inst, arrays_.accessed(inst), unclamped);
}

Address Addresses::of_record(const Inst& store, bool unclamped) {
  return of(store, arrays_.accessed_record(store), unclamped);
}

Address Addresses::of(const Inst& inst, const ArrayBase& array, bool unclamped) {
  Address address;
  address.record_bytes = array.record_bytes;
  address.into = array.into;
  address.packed = array.packed;
  address.element = array.element;
  address.offset = array.offset;
  address.pointer = array.pointer;
  address.s0 = address.s1 = c_.b.getInt64(0);
  const Terms all = terms(inst, array, unclamped);
  address.period = common_period(all);
  const analysis::LaneLayout& layout = c_.analysis().layout;
  address.lanes = c_.width();
  address.rows =
      address.period == layout.period ? layout.rows_per_gang : c_.width() / address.period;
  const bool varying = is_varying(all, address.period, address.offset);
  bool affine = array.lane_step != 0;
  int not_uniform = affine;
  for (const Term& term : all) {
    affine = affine || values_.of(*term.index).affine();
    not_uniform += !is_one(term);
  }
  for (const Term& term : all) {
    if (is_one(term))
      add_uniform(address, term);
    else if (varying)
      add_varying(address, term, not_uniform == 1);
    else
      add_affine(address, term);
  }
  if (array.lane_step != 0) add_lanes(address, array.lane_step, varying);
  address.own_lanes = array.lane_step != 0;
  if (array.own_lines) address.start = start_of(all);
  address.kind = varying  ? Lanes::Kind::Varying
                 : affine ? Lanes::Kind::Affine
                          : Lanes::Kind::Uniform;
  return address;
}

Value* Addresses::may_be_unclamped(const Inst& inst) {
  if (!c_.uses(Heuristic::unclamped_index)) return nullptr;
  const std::span<Inst* const> indices = ir::access_of(inst)->indices;
  // Before there is code for the array's address.
  if (!llvm::any_of(indices, [&](const Inst* i) { return may_wrap(*i, ScalarKind::I64); }))
    return nullptr;
  const ArrayBase array = arrays_.accessed(inst);
  const Terms all = terms(inst, array, true);
  const bool any = llvm::any_of(all, [](const Term& term) { return term.unclamped; });
  if (!any || is_varying(all, common_period(all), array.offset)) return nullptr;
  Value* hold = nullptr;
  for (size_t i = 0; i < indices.size(); ++i) {
    if (!all[i].unclamped) continue;
    Value* holds = unclamped_.holds(*indices[i]);
    hold = hold ? c_.b.CreateAnd(hold, holds) : holds;
  }
  return hold;
}

// Each lane's own element.
void Addresses::add_lanes(Address& address, uint64_t step, bool varying) {
  if (!varying) {
    address.s0 = sum(address.s0, c_.b.getInt64(step));
    address.s1 = sum(address.s1, c_.b.getInt64(step * address.period));
    return;
  }
  llvm::Constant* lanes = values_.lane_numbers(address.offset);
  Value* part = c_.b.CreateMul(lanes, llvm::ConstantInt::get(lanes->getType(), step));
  address.offsets = {c_.b.CreateAdd(address.offsets.numbers, part), 1};
}

}  // namespace cuda_device::codegen::host
