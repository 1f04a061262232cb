#include "codegen/host/memory/atomic_element.h"

#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::AtomicKind;
using ir::MemoryOrder;
using ir::Op;
using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;
using llvm::Value;

namespace {

llvm::Align natural(llvm::Type* type) {
  return llvm::Align(type->getPrimitiveSizeInBits().getFixedValue() / 8);
}

// The instruction's own operation; nothing: it is a loop around a compare-and-swap.
std::optional<AtomicRMWInst::BinOp> operation_of(AtomicKind kind, ScalarKind element) {
  const bool is_float = cuda_device::is_float(element), is_signed = is_signed_int(element);
  switch (kind) {
    case AtomicKind::Exch:
      return AtomicRMWInst::Xchg;
    case AtomicKind::Add:
      return is_float ? AtomicRMWInst::FAdd : AtomicRMWInst::Add;
    case AtomicKind::Sub:
      return is_float ? AtomicRMWInst::FSub : AtomicRMWInst::Sub;
    case AtomicKind::And:
      return AtomicRMWInst::And;
    case AtomicKind::Or:
      return AtomicRMWInst::Or;
    case AtomicKind::Xor:
      return AtomicRMWInst::Xor;
    case AtomicKind::Max:
    case AtomicKind::NanMax:
      if (is_float) return std::nullopt;
      return is_signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
    case AtomicKind::Min:
    case AtomicKind::NanMin:
      if (is_float) return std::nullopt;
      return is_signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
  }
  CD_UNREACHABLE("unknown kind of atomic operation");
}

// What reads may be ordered by.
AtomicOrdering of_reads(AtomicOrdering order) {
  if (order == AtomicOrdering::Release) return AtomicOrdering::Monotonic;
  return order == AtomicOrdering::AcquireRelease ? AtomicOrdering::Acquire : order;
}

}  // namespace

AtomicOrdering AtomicElement::ordering(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::Relaxed:
      return AtomicOrdering::Monotonic;
    case MemoryOrder::Acquire:
      return AtomicOrdering::Acquire;
    case MemoryOrder::Release:
      return AtomicOrdering::Release;
    case MemoryOrder::AcqRel:
      return AtomicOrdering::AcquireRelease;
    case MemoryOrder::SeqCst:
      return AtomicOrdering::SequentiallyConsistent;
  }
  CD_UNREACHABLE("unknown order");
}

Value* AtomicElement::load(llvm::Type* type, Value* pointer) {
  llvm::LoadInst* loaded = b_.CreateAlignedLoad(type, pointer, natural(type));
  if (!alone_) loaded->setAtomic(ordering(spec_.order));
  return loaded;
}

void AtomicElement::store(Value* value, Value* pointer) {
  llvm::StoreInst* stored = b_.CreateAlignedStore(value, pointer, natural(value->getType()));
  if (!alone_) stored->setAtomic(ordering(spec_.order));
}

Value* AtomicElement::after(Value* old, Value* operand) {
  if (spec_.kind == AtomicKind::Exch) return operand;
  Value* next = arithmetic_.emit(ir::op_of(spec_.kind), kind_, kind_, {old, operand});
  if (!ir::replaces_nan(spec_.kind) || !is_float(kind_)) return next;
  return b_.CreateSelect(arithmetic_.emit(Op::IsNan, kind_, ScalarKind::Bool, {old}), operand,
                         next);
}

Value* AtomicElement::rmw(Value* operand, Value* pointer) {
  if (alone_) {
    Value* old = load(operand->getType(), pointer);
    store(after(old, operand), pointer);
    return old;
  }
  const auto operation = operation_of(spec_.kind, kind_);
  if (!operation)
    return change(operand->getType(), pointer, [&](Value* old) { return after(old, operand); });
  return b_.CreateAtomicRMW(*operation, pointer, operand, natural(operand->getType()),
                            ordering(spec_.order));
}

Value* AtomicElement::bits(Value* value) {
  return b_.CreateBitCast(value, integer_like(value->getType()));
}

llvm::AtomicCmpXchgInst* AtomicElement::try_swap(Value* expected, Value* wanted, Value* pointer) {
  const AtomicOrdering order = ordering(spec_.order);
  return b_.CreateAtomicCmpXchg(pointer, expected, wanted, natural(expected->getType()), order,
                                of_reads(order));
}

Value* AtomicElement::compare_and_swap(Value* expected, Value* wanted, Value* pointer) {
  llvm::Type* type = expected->getType();
  Value *was = bits(expected), *becomes = bits(wanted);
  if (!alone_)
    return b_.CreateBitCast(b_.CreateExtractValue(try_swap(was, becomes, pointer), 0), type);
  Value* old = load(was->getType(), pointer);
  store(b_.CreateSelect(b_.CreateICmpEQ(old, was), becomes, old), pointer);
  return b_.CreateBitCast(old, type);
}

Value* AtomicElement::change(llvm::Type* type, Value* pointer,
                             llvm::function_ref<Value*(Value* old)> next) {
  if (alone_) {
    Value* old = load(type, pointer);
    store(next(old), pointer);
    return old;
  }
  llvm::Function* function = b_.GetInsertBlock()->getParent();
  llvm::LoadInst* first =
      b_.CreateAlignedLoad(integer_like(type), pointer, natural(integer_like(type)));
  first->setAtomic(AtomicOrdering::Monotonic);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  auto* loop = llvm::BasicBlock::Create(b_.getContext(), "swap", function);
  auto* done = llvm::BasicBlock::Create(b_.getContext(), "swapped", function);
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode* old = b_.CreatePHI(first->getType(), 2);
  old->addIncoming(first, before);
  Value* wanted = next(b_.CreateBitCast(old, type));
  llvm::AtomicCmpXchgInst* swap = try_swap(old, bits(wanted), pointer);
  old->addIncoming(b_.CreateExtractValue(swap, 0), b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateExtractValue(swap, 1), done, loop);
  b_.SetInsertPoint(done);
  return b_.CreateBitCast(old, type);
}

}  // namespace cuda_device::codegen::host
