#include "codegen/host/control/counter.h"

namespace cuda_device::codegen::host {

using llvm::Value;

Counter::Counter(EmitContext& context, LaneValues& values, const ir::Inst& loop)
    : c_(context),
      values_(values),
      kind_(loop.operands[0]->type.scalar()),
      rises_(context.analysis().range(*loop.operands[2]).lo > 0) {
  bool small = true;
  for (const ir::Inst* operand : loop.operands)
    small = small && values_.of(*operand).held == ScalarKind::I32;
  if (small) kind_ = ScalarKind::I32;
  current_ = values_.of(*loop.operands[0]);
  stop_ = values_.of(*loop.operands[1]);
  step_ = values_.of(*loop.operands[2]);
  for (Lanes* lanes : {&current_, &stop_, &step_}) resize(*lanes);
  if (!step_.uniform() && !current_.varying()) make_varying(current_);
  place_ = c_.variable(current_.value->getType(), "counter");
}

void Counter::resize(Lanes& lanes) {
  for (Value** part : {&lanes.value, &lanes.s0, &lanes.s1})
    if (*part) *part = values_.resize(*part, lanes.held, kind_);
  if (bits_of(lanes.held) != bits_of(kind_)) lanes.vector = nullptr;
  lanes.held = kind_;
}

void Counter::make_varying(Lanes& lanes) {
  lanes.anchor = values_.here();
  lanes.vector = nullptr;
  lanes.value = values_.vector(lanes);
  lanes.kind = Lanes::Kind::Varying;
}

void Counter::begin() { c_.b.CreateStore(current_.value, place_); }

Lanes Counter::load() {
  Lanes lanes = current_;
  lanes.vector = nullptr;
  lanes.value = c_.b.CreateLoad(place_->getAllocatedType(), place_);
  lanes.anchor = values_.here();
  return lanes;
}

void Counter::advance() {
  const Lanes lanes = load();
  Value* by = lanes.varying() ? all(step_) : step_.value;
  c_.b.CreateStore(c_.b.CreateAdd(lanes.value, by), place_);
}

Value* Counter::part(const Lanes& lanes, bool in_all) {
  return in_all ? all(lanes) : values_.at(lanes, 0);
}

Value* Counter::all(Lanes lanes) {
  lanes.vector = nullptr;
  lanes.anchor = values_.here();
  return values_.vector(lanes);
}

Value* Counter::less(Value* x, Value* y) {
  return is_signed() ? c_.b.CreateICmpSLT(x, y) : c_.b.CreateICmpULT(x, y);
}

Value* Counter::enters(bool in_all) {
  Value* from = part(current_, in_all);
  Value* to = part(stop_, in_all);
  Value* by = part(step_, in_all);
  if (rises_) return less(from, to);
  Value* zero = llvm::Constant::getNullValue(by->getType());
  Value* up = c_.b.CreateAnd(less(zero, by), less(from, to));
  if (!is_signed()) return up;
  return c_.b.CreateOr(up, c_.b.CreateAnd(less(by, zero), less(to, from)));
}

// The distance to the stop is at least 1 and fits an unsigned number; nothing overflows.
Value* Counter::goes_on(const Lanes& now, bool in_all) {
  Value* from = part(now, in_all);
  Value* to = part(stop_, in_all);
  Value* by = part(step_, in_all);
  Value* one = llvm::ConstantInt::get(by->getType(), 1);
  if (by == one) return less(c_.b.CreateAdd(from, one), to);
  Value* ahead = c_.b.CreateICmpUGT(c_.b.CreateSub(to, from), by);
  if (!may_fall()) return ahead;
  Value* passed = c_.b.CreateICmpUGT(c_.b.CreateSub(from, to), c_.b.CreateNeg(by));
  return c_.b.CreateSelect(less(by, llvm::Constant::getNullValue(by->getType())), passed, ahead);
}

// Nor does a number wrap between the first lane's and the last lane's.
Value* Counter::all_enter() {
  Value* ordered = less(values_.at(current_, 0), last(current_));
  return c_.b.CreateAnd(ordered, less(last(current_), stop_.value));
}

Value* Counter::all_go_on(const Lanes& now) {
  return c_.b.CreateICmpUGT(c_.b.CreateSub(stop_.value, last(now)), step_.value);
}

}  // namespace cuda_device::codegen::host
