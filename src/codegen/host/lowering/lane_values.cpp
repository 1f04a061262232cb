#include "codegen/host/lowering/lane_values.h"

#include "support/check.h"

namespace cuda_device::codegen::host {

ScalarKind LaneValues::held_kind(const ir::Inst& inst) const {
  return c_.analysis().narrow(inst) ? ScalarKind::I32 : inst.type.scalar();
}

Anchor LaneValues::here() const {
  llvm::BasicBlock* block = c_.b.GetInsertBlock();
  return {block, block->empty() ? nullptr : &block->back()};
}

void LaneValues::define(const ir::Inst& inst, Lanes lanes) {
  lanes.anchor = here();
  table_[inst.id] = lanes;
}

void LaneValues::define_uniform(const ir::Inst& inst, ScalarKind held, llvm::Value* value) {
  Lanes lanes;
  lanes.kind = Lanes::Kind::Uniform;
  lanes.held = held;
  lanes.value = value;
  define(inst, lanes);
}

void LaneValues::define_vector(const ir::Inst& inst, ScalarKind held, llvm::Value* value) {
  Lanes lanes;
  lanes.kind = Lanes::Kind::Varying;
  lanes.held = held;
  lanes.value = value;
  define(inst, lanes);
}

void LaneValues::define_affine(const ir::Inst& inst, ScalarKind held, llvm::Value* base,
                               llvm::Value* s0, llvm::Value* s1, unsigned period) {
  Lanes lanes;
  lanes.kind = Lanes::Kind::Affine;
  lanes.held = held;
  lanes.value = base;
  lanes.s0 = s0;
  lanes.s1 = s1;
  lanes.period = period;
  define(inst, lanes);
}

llvm::Value* LaneValues::resize(llvm::Value* value, ScalarKind held, ScalarKind want) {
  const bool both_ints = is_int(held) && is_int(want);
  if (!both_ints || bits_of(held) == bits_of(want)) return value;
  // A narrowed value is held as its own int32: it extends by sign, whatever the IR type's sign.
  return c_.b.CreateSExtOrTrunc(value, with_lanes_of(value->getType(), c_.scalar_type(want)));
}

llvm::Value* LaneValues::at(const Lanes& lanes, unsigned lane) {
  if (lanes.uniform()) return lanes.value;
  if (lanes.varying()) return c_.b.CreateExtractElement(lanes.value, lane);
  CD_CHECK(lanes.affine(), "a value without lanes");
  llvm::Value* value = lanes.value;
  auto add = [&](llvm::Value* step, unsigned times) {
    if (times == 0) return;
    value = c_.b.CreateAdd(value, c_.b.CreateMul(step, c_.integer(lanes.held, times)));
  };
  add(lanes.s0, lane % lanes.period);
  add(lanes.s1, lane / lanes.period);
  return value;
}

llvm::Value* LaneValues::scalar(const ir::Inst& operand, ScalarKind want, unsigned lane) {
  const Lanes& lanes = of(operand);
  return resize(at(lanes, lane), lanes.held, want);
}

llvm::Value* LaneValues::vector(const ir::Inst& operand, ScalarKind want) {
  Lanes& lanes = table_[operand.id];
  return resize(vector(lanes), lanes.held, want);
}

llvm::Constant* LaneValues::sequence(ScalarKind kind, unsigned divide, unsigned modulo) const {
  llvm::SmallVector<llvm::Constant*, kMostLanes> elements;
  for (unsigned lane = 0; lane < c_.width(); ++lane)
    elements.push_back(llvm::ConstantInt::get(c_.scalar_type(kind), lane / divide % modulo,
                                              /*IsSigned=*/false, /*ImplicitTrunc=*/true));
  return llvm::ConstantVector::get(elements);
}

llvm::Constant* LaneValues::column(ScalarKind kind, unsigned period) const {
  return sequence(kind, 1, period);
}
llvm::Constant* LaneValues::row(ScalarKind kind, unsigned period) const {
  return sequence(kind, period, c_.width());
}

Lanes LaneValues::in_rows_of(Lanes lanes, unsigned period) {
  if (lanes.period == period) return lanes;
  const auto across = [&](unsigned lanes_of_row) {
    return c_.b.CreateMul(lanes.s0, c_.integer(lanes.held, lanes_of_row));
  };
  if (lanes.period < c_.width()) {
    const bool known = llvm::isa<llvm::Constant>(lanes.s0) && llvm::isa<llvm::Constant>(lanes.s1);
    if (!known || across(lanes.period) != lanes.s1) return lanes;
  }
  lanes.s1 = across(period);
  lanes.period = period;
  return lanes;
}

llvm::Value* LaneValues::scaled(llvm::Constant* sequence, llvm::Value* step) {
  return c_.b.CreateMul(sequence, c_.b.CreateVectorSplat(c_.width(), step));
}

llvm::Constant* LaneValues::constant_steps(const Lanes& lanes) {
  if (!lanes.affine() || !is_int(lanes.held)) return nullptr;
  if (!llvm::isa<llvm::Constant>(lanes.s0) || !llvm::isa<llvm::Constant>(lanes.s1)) return nullptr;
  llvm::Value* steps = scaled(column(lanes.held, lanes.period), lanes.s0);
  if (lanes.period < c_.width())
    steps = c_.b.CreateAdd(steps, scaled(row(lanes.held, lanes.period), lanes.s1));
  return llvm::dyn_cast<llvm::Constant>(steps);
}

// Made where the value was defined, so that one vector serves every use.
llvm::Value* LaneValues::vector(Lanes& lanes) {
  if (lanes.varying()) return lanes.value;
  if (lanes.vector) return lanes.vector;
  CD_CHECK(lanes.uniform() || lanes.affine(), "a value without lanes");
  llvm::IRBuilder<>::InsertPointGuard back(c_.b);
  const Anchor& anchor = lanes.anchor;
  if (anchor.after && !llvm::isa<llvm::PHINode>(anchor.after))
    c_.b.SetInsertPoint(anchor.block, std::next(anchor.after->getIterator()));
  else
    c_.b.SetInsertPoint(anchor.block, anchor.block->getFirstInsertionPt());
  llvm::Value* vector = c_.b.CreateVectorSplat(c_.width(), lanes.value);
  if (lanes.affine()) {
    vector = c_.b.CreateAdd(vector, scaled(column(lanes.held, lanes.period), lanes.s0));
    if (lanes.period < c_.width())
      vector = c_.b.CreateAdd(vector, scaled(row(lanes.held, lanes.period), lanes.s1));
  }
  return lanes.vector = vector;
}

}  // namespace cuda_device::codegen::host
