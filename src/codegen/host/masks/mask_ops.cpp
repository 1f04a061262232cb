#include "codegen/host/masks/mask_ops.h"

#include "codegen/host/control/join.h"
#include "codegen/host/control/loop_hints.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

llvm::Type* MaskOps::type() const { return llvm::FixedVectorType::get(b_.getInt1Ty(), width_); }

llvm::Value* MaskOps::lanes(const Mask& mask) {
  if (mask.none) return llvm::Constant::getNullValue(type());
  if (mask.all()) return llvm::Constant::getAllOnesValue(type());
  return mask.lanes;
}

llvm::Value* MaskOps::any(const Mask& mask) {
  if (mask.none) return b_.getFalse();
  if (mask.all()) return b_.getTrue();
  if (mask.some) return mask.some;
  return b_.CreateOrReduce(mask.lanes);
}

llvm::Value* MaskOps::first_lane(llvm::Value* bits) {
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b_.getFalse());
}

llvm::Value* MaskOps::last_of(llvm::Value* vector, const Mask& mask) {
  llvm::Value* set = bits(mask);
  llvm::Value* above = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, set, b_.getFalse());
  llvm::Value* last = llvm::ConstantInt::get(set->getType(), width_ - 1);
  return element(vector, b_.CreateSub(last, above));
}

llvm::Value* MaskOps::bits(const Mask& mask) {
  return b_.CreateBitCast(lanes(mask), b_.getIntNTy(width_));
}

// The element goes through memory: extracting it from the vector may be moved before the branch
// that tests whether the mask has a lane, where its number is undefined; a load of an unknown place
// is not moved.
llvm::Value* MaskOps::element(llvm::Value* vector, llvm::Value* lane) {
  if (llvm::isa<llvm::Constant>(lane)) return b_.CreateExtractElement(vector, lane);
  const bool one_bit = vector->getType()->getScalarType()->isIntegerTy(1);  // not addressable
  if (one_bit) vector = b_.CreateZExt(vector, llvm::FixedVectorType::get(b_.getInt8Ty(), width_));
  llvm::Type* type = vector->getType()->getScalarType();
  llvm::AllocaInst* buffer = scratch(vector->getType(), 0);
  b_.CreateStore(vector, buffer);
  llvm::Value* number = b_.CreateZExtOrTrunc(lane, b_.getInt64Ty());
  llvm::Value* value = b_.CreateLoad(type, b_.CreateGEP(type, buffer, number));
  return one_bit ? b_.CreateTrunc(value, b_.getInt1Ty()) : value;
}

void MaskOps::for_all_lanes(llvm::function_ref<void(llvm::Value*)> body, unsigned step) {
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::Function* function = before->getParent();
  auto* loop = llvm::BasicBlock::Create(b_.getContext(), "lanes", function);
  auto* after = llvm::BasicBlock::Create(b_.getContext(), "lanes_done", function);
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode* first = b_.CreatePHI(b_.getInt64Ty(), 2);
  first->addIncoming(b_.getInt64(0), before);
  for (unsigned k = 0; k < step; ++k) body(b_.CreateNUWAdd(first, b_.getInt64(k)));
  llvm::Value* next = b_.CreateNUWAdd(first, b_.getInt64(step));
  first->addIncoming(next, b_.GetInsertBlock());
  hint(b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(width_)), loop, after),
       {.keep_rolled = true});
  b_.SetInsertPoint(after);
}

void MaskOps::for_each_lane(const Mask& mask, llvm::function_ref<void(llvm::Value*)> body,
                            unsigned an_iteration) {
  if (mask.all() && an_iteration > 1) return for_all_lanes(body, std::min(width_, an_iteration));
  llvm::Function* function = b_.GetInsertBlock()->getParent();
  auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, function);
  };
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::BasicBlock* loop = block("lane");
  llvm::BasicBlock* after = block("lanes_done");
  llvm::Value* all = bits(mask);
  llvm::Type* set = all->getType();
  llvm::Value* none = llvm::ConstantInt::get(set, 0);
  b_.CreateCondBr(b_.CreateICmpNE(all, none), loop, after);
  b_.SetInsertPoint(loop);
  llvm::PHINode* left = b_.CreatePHI(set, 2);
  left->addIncoming(all, before);
  body(first_lane(left));
  llvm::Value* next = b_.CreateAnd(left, b_.CreateSub(left, llvm::ConstantInt::get(set, 1)));
  left->addIncoming(next, b_.GetInsertBlock());
  hint(b_.CreateCondBr(b_.CreateICmpNE(next, none), loop, after), {.keep_rolled = true});
  b_.SetInsertPoint(after);
}

// Variables are made at the function's entry, so that they can be promoted to registers.
llvm::AllocaInst* MaskOps::variable(llvm::Type* type, const llvm::Twine& name) {
  llvm::BasicBlock& first = b_.GetInsertBlock()->getParent()->getEntryBlock();
  return llvm::IRBuilder<>(&first, first.begin()).CreateAlloca(type, nullptr, name);
}

llvm::AllocaInst* MaskOps::scratch(llvm::Type* type, unsigned number) {
  llvm::AllocaInst*& place = scratch_[{type, number}];
  if (!place) place = variable(type, "lanes");
  return place;
}

Mask MaskOps::both(const Mask& mask, llvm::Value* condition) {
  if (mask.none) return mask;
  if (mask.all()) return Mask::of(condition, true);
  return Mask::of(b_.CreateAnd(mask.lanes, condition), true);
}

Mask MaskOps::without(const Mask& mask, llvm::Value* condition) {
  if (mask.none) return mask;
  llvm::Value* rest = b_.CreateNot(condition);
  if (!mask.all()) rest = b_.CreateAnd(mask.lanes, rest);
  return Mask::of(rest, true);
}

Mask MaskOps::either(const Mask& x, const Mask& y) {
  if (x.none) return y;
  if (y.none || x.all()) return x;
  if (y.all()) return y;
  return Mask::of(b_.CreateOr(x.lanes, y.lanes), x.may_be_empty && y.may_be_empty);
}

// ---------------------------------------------------------------------------------------------
// Join

Join::Join(MaskOps& masks, const char* name)
    : masks_(masks), block_(llvm::BasicBlock::Create(masks.builder().getContext(), name)) {}

// Where nothing arrives, the block belongs to no function.
Join::~Join() {
  if (!reached()) delete block_;
}

llvm::BasicBlock* Join::edge(const Mask& mask) {
  arrivals_.push_back({masks_.builder().GetInsertBlock(), mask});
  return block_;
}

void Join::arrive(const Mask& mask) { masks_.builder().CreateBr(edge(mask)); }

void Join::place_block() {
  CD_CHECK(reached(), "nothing arrives at a join");
  llvm::Function* function = masks_.builder().GetInsertBlock()->getParent();
  function->insert(function->end(), block_);
  masks_.builder().SetInsertPoint(block_);
}

void Join::finish_unmasked() { place_block(); }

Mask Join::finish() {
  place_block();
  Mask result = arrivals_.front().mask;
  bool equal = true;
  for (const Arrival& a : arrivals_) {
    equal = equal && same(a.mask, result);
    result.may_be_empty = result.may_be_empty || a.mask.may_be_empty;
  }
  if (equal) return result;
  llvm::PHINode* phi = masks_.builder().CreatePHI(masks_.type(), 2);
  for (const Arrival& a : arrivals_) phi->addIncoming(masks_.lanes(a.mask), a.from);
  return Mask::of(phi, result.may_be_empty);
}

}  // namespace cuda_device::codegen::host
