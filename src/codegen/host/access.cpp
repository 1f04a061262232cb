#include "codegen/host/access.h"

#include "ir/visitor.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::Inst;
using llvm::Value;

Access::Access(EmitContext& context, LaneValues& values, LaunchValues& launch)
    : c_(context),
      values_(values),
      launch_(launch),
      memory_(MemoryForm::create(context.b, context.source.target, context.width())) {
  const ir::Function& f = c_.source.function;
  llvm::MDBuilder metadata(c_.llvm());
  llvm::MDNode* domain = metadata.createAnonymousAliasScopeDomain(f.name);
  for (const ir::Param& p : f.params) {
    const bool alone = p.type.is_array() && p.facts.no_alias;
    scopes_.push_back(alone ? metadata.createAnonymousAliasScope(domain, p.name) : nullptr);
  }
  written_.resize(f.params.size());
  ir::for_each_inst(f.body, [&](const Inst& inst) {
    if (inst.op == ir::Op::Store) written_[static_cast<size_t>(inst.operands[0]->imm)] = true;
  });
}

llvm::MDNode* Access::scope_list(const std::vector<uint32_t>& params) {
  llvm::SmallVector<llvm::Metadata*, 8> scopes;
  for (uint32_t param : params)
    if (scopes_[param]) scopes.push_back(scopes_[param]);
  return scopes.empty() ? nullptr : llvm::MDNode::get(c_.llvm(), scopes);
}

Element Access::element_of(uint32_t param) {
  const ir::Param& p = c_.source.function.params[param];
  Element e;
  e.type = memory_type(c_.llvm(), p.type.scalar);
  e.align =
      p.facts.element_aligned ? llvm::Align(static_cast<uint64_t>(e.bytes())) : llvm::Align(1);
  std::vector<uint32_t> others;
  for (uint32_t i = 0; i < scopes_.size(); ++i)
    if (i != param) others.push_back(i);
  e.scope = scope_list({param});
  e.no_alias = scope_list(others);
  e.invariant = p.facts.no_alias && !written_[param];
  return e;
}

// ------------------------------------------------------------------------------------------
// addresses

static bool is_constant(Value* value, int64_t number) {
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant && constant->getSExtValue() == number;
}

// Steps are known where this folds: zero times a stride that is not.
Value* Access::product(Value x, Value y) {
  if (is_constant(x, 0) || is_constant(y, 1)) return x;
  if (is_constant(y, 0) || is_constant(x, 1)) return y;
  return c_.b.CreateMul(x, y);
}

Value* Access::sum(Value x, Value y) {
  if (is_constant(x, 0)) return y;
  return is_constant(y, 0) ? x : c_.b.CreateAdd(x, y);
}

ScalarKind Access::offset_kind(uint32_t param) const {
  return c_.source.function.params[param].facts.fits_31 ? ScalarKind::I32 : ScalarKind::I64;
}

// Whether active lanes of an affine index keep their steps as int64. A signed one does: in bounds
// it is not negative, so between two active lanes nothing wrapped. An unsigned one might have,
// unless its values are known to be small.
bool Access::steps_in_int64(const Inst& index, uint32_t param) const {
  const Lanes& lanes = values_.of(index);
  const int bits = bits_of(lanes.held);
  if (bits == 64 || is_signed_int(lanes.held)) return true;
  if (bits == 32 && offset_kind(param) == ScalarKind::I32) return true;
  return c_.source.analysis.range(index).hi < int64_t{1} << (bits - 1);
}

// An index by its sign bit extended to int64: with the above, right in every active lane.
static Value* widen(llvm::IRBuilder<>& b, Value* value) {
  return b.CreateSExtOrTrunc(value, with_lanes_of(value->getType(), b.getInt64Ty()));
}

void Access::add_uniform(Place& place, const Inst& index, Value stride) {
  const Lanes& lanes = values_.of(index);
  const bool zero_extend = is_unsigned_int(lanes.held) || is_bool(lanes.held);
  Value position =
      zero_extend ? c_.b.CreateZExt(lanes.value, c_.b.getInt64Ty()) : widen(c_.b, lanes.value);
  place.pointer = c_.b.CreateGEP(c_.b.getInt8Ty(), place.pointer, product(position, stride));
}

void Access::add_affine(Place& place, const Inst& index, Value stride) {
  const Lanes& lanes = values_.of(index);
  auto scaled = [&](Value x) { return product(widen(c_.b, x), stride); };
  place.pointer = c_.b.CreateGEP(c_.b.getInt8Ty(), place.pointer, scaled(lanes.value));
  place.s0 = sum(place.s0, scaled(lanes.s0));
  place.s1 = sum(place.s1, scaled(lanes.s1));
}

// One index whose stride is a size of an element leaves the multiplication to the instruction.
void Access::add_varying(Place& place, const Inst& index, Value stride, bool only) {
  const ScalarKind kind = offset_kind(place.param);
  const ScalarKind held = values_.of(index).held;
  Value numbers = c_.arithmetic.convert(held, kind, values_.vector(index, held));
  if (only && is_constant(stride, place.element.bytes())) {
    place.offsets = {numbers, place.element.bytes()};
    return;
  }
  Value step = c_.b.CreateTrunc(stride, c_.scalar_type(kind));
  Value part = c_.b.CreateMul(numbers, c_.b.CreateVectorSplat(c_.width(), step));
  Value& all = place.offsets.numbers;
  all = all ? c_.b.CreateAdd(all, part) : part;
}

Access::Place Access::place(const Inst& inst, size_t indices) {
  Place place;
  place.param = values_.of(*inst.operands[0]).param;
  place.element = element_of(place.param);
  place.pointer = launch_.data(place.param);
  place.s0 = place.s1 = c_.b.getInt64(0);
  bool affine = false, varying = false;
  int not_uniform = 0;
  auto index = [&](size_t i) -> const Inst& { return *inst.operands[1 + i]; };
  for (size_t i = 0; i < indices; ++i) {
    const Lanes& lanes = values_.of(index(i));
    affine = affine || lanes.affine();
    not_uniform += !lanes.uniform();
    varying =
        varying || lanes.varying() || (lanes.affine() && !steps_in_int64(index(i), place.param));
  }
  for (size_t i = 0; i < indices; ++i) {
    Value stride = launch_.stride(place.param, static_cast<unsigned>(i));
    if (values_.of(index(i)).uniform())
      add_uniform(place, index(i), stride);
    else if (varying)
      add_varying(place, index(i), stride, not_uniform == 1);
    else
      add_affine(place, index(i), stride);
  }
  place.kind = varying ? Lanes::Kind::Varying : affine ? Lanes::Kind::Affine : Lanes::Kind::Uniform;
  return place;
}

// One run of memory for the whole gang.
bool Access::is_linear(const Place& place) const {
  const unsigned bytes = place.element.bytes(), period = values_.period();
  if (place.kind != Lanes::Kind::Affine || !is_constant(place.s0, bytes)) return false;
  return period == c_.width() || is_constant(place.s1, int64_t{bytes} * period);
}

bool Access::is_in_rows(const Place& place) const {
  return place.kind == Lanes::Kind::Affine && values_.period() < c_.width() &&
         is_constant(place.s0, place.element.bytes());
}

std::vector<RowPiece> Access::pieces(const Place& place) {
  std::vector<RowPiece> rows;
  const unsigned period = values_.period();
  Value pointer = place.pointer;
  for (unsigned row = 0; row < c_.source.analysis.layout.rows_per_gang; ++row) {
    if (row > 0) pointer = c_.b.CreateGEP(c_.b.getInt8Ty(), pointer, place.s1);
    rows.push_back({row * period, period, pointer});
  }
  return rows;
}

// Of the lanes, for a gather or a scatter.
Offsets Access::offsets_of(const Place& place) {
  if (place.offsets.numbers) return place.offsets;
  const ScalarKind kind = offset_kind(place.param);
  auto scaled = [&](llvm::Constant* sequence, Value step) {
    Value narrow = c_.b.CreateTrunc(step, c_.scalar_type(kind));
    return c_.b.CreateMul(sequence, c_.b.CreateVectorSplat(c_.width(), narrow));
  };
  Value numbers = scaled(values_.column(kind), place.s0);
  if (values_.period() == c_.width()) return {numbers, 1};
  return {c_.b.CreateAdd(numbers, scaled(values_.row(kind), place.s1)), 1};
}

// ---------------------------------------------------------------------------------------------
// loads

void Access::load(const Inst& inst, const Mask& mask) {
  const Place p = place(inst, inst.operands.size() - 1);
  const ScalarKind kind = inst.type.scalar;
  auto in_register = [&](Value x) {
    return is_bool(kind) ? c_.b.CreateICmpNE(x, llvm::Constant::getNullValue(x->getType())) : x;
  };
  auto held = [&](Value x) { return values_.resize(x, kind, values_.held_kind(inst)); };
  if (p.kind == Lanes::Kind::Uniform) {
    CD_CHECK(!mask.may_be_empty, "a uniform load under a mask that may be empty");
    Value one = held(in_register(memory_->load_one(p.element, p.pointer)));
    return values_.define_uniform(inst, values_.held_kind(inst), one);
  }
  values_.define_vector(inst, values_.held_kind(inst), held(in_register(load_lanes(p, mask))));
}

Value* Access::load_lanes(const Place& p, const Mask& mask) {
  if (is_linear(p)) return memory_->load(p.element, p.pointer, mask);
  if (is_in_rows(p) && memory_->takes_rows(p.element, values_.period(), mask))
    return memory_->load_rows(p.element, pieces(p), mask);
  return memory_->gather(p.element, p.pointer, offsets_of(p), mask);
}

// --------------------------------------------------------------------------------------------
// stores

void Access::store(const Inst& inst, const Mask& mask) {
  const Inst& value = *inst.operands.back();
  const Place p = place(inst, inst.operands.size() - 2);
  if (p.kind == Lanes::Kind::Uniform) return store_uniform(p, value, mask);
  Value all = values_.vector(value, value.type.scalar);
  if (value.type.is_bool())
    all = c_.b.CreateZExt(all, with_lanes_of(all->getType(), p.element.type));
  store_lanes(p, all, mask);
}

void Access::store_lanes(const Place& p, Value value, const Mask& mask) {
  if (is_linear(p)) return memory_->store(p.element, value, p.pointer, mask);
  if (is_in_rows(p) && memory_->takes_rows(p.element, values_.period(), mask))
    return memory_->store_rows(p.element, value, pieces(p), mask);
  memory_->scatter(p.element, value, p.pointer, offsets_of(p), mask);
}

// All lanes store to one place: the highest active lane is the last.
void Access::store_uniform(const Place& p, const Inst& value, const Mask& mask) {
  CD_CHECK(!mask.may_be_empty, "a store under a mask that may be empty");
  const Lanes& lanes = values_.of(value);
  Value one = nullptr;
  if (lanes.uniform()) {
    one = values_.scalar(value, value.type.scalar);
  } else {
    Value bits = c_.b.CreateBitCast(c_.masks.lanes(mask), c_.b.getIntNTy(c_.width()));
    Value above = c_.b.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, c_.b.getTrue());
    Value last = c_.b.CreateSub(llvm::ConstantInt::get(bits->getType(), c_.width() - 1), above);
    one = c_.b.CreateExtractElement(values_.vector(value, value.type.scalar), last);
  }
  if (value.type.is_bool()) one = c_.b.CreateZExt(one, p.element.type);
  memory_->store_one(p.element, one, p.pointer);
}

}  // namespace cuda_device::codegen::host
