#include "codegen/host/control/reports.h"

#include "codegen/host/machine/runtime_call.h"

namespace cuda_device::codegen::host {

using llvm::Value;

Value* Reports::bits(const Mask& mask) {
  return c_.b.CreateBitCast(c_.masks.lanes(mask), c_.b.getIntNTy(c_.width()));
}

Value* Reports::launch() { return c_.b.GetInsertBlock()->getParent()->getArg(1); }

llvm::CallInst* Reports::call(const char* name, llvm::ArrayRef<Value*> arguments,
                              llvm::Type* result) {
  return call_runtime(c_.b, c_.module, name, result ? result : c_.b.getVoidTy(), arguments);
}

void Reports::fail(const ir::Inst& check, Value* lanes) {
  Value* lane = c_.b.CreateZExtOrTrunc(c_.masks.first_lane(lanes), c_.b.getInt32Ty());
  const std::array<Value*, 6> where = position_.of_lane(lane);
  auto* type = llvm::ArrayType::get(c_.b.getInt32Ty(), where.size());
  if (!place_) place_ = c_.variable(type, "place");
  for (unsigned i = 0; i < where.size(); ++i)
    c_.b.CreateStore(where[i], c_.b.CreateConstInBoundsGEP2_32(type, place_, 0, i));
  auto* count = c_.b.getInt32(static_cast<uint32_t>(check.operands.size() - 1));
  call("cd_kernel_failed", {launch(), c_.b.getInt32(static_cast<uint32_t>(check.imm)), place_,
                            count, message_in_memory(check, lane)})
      ->addFnAttr(llvm::Attribute::Cold);
  if (!c_.failed) c_.failed = c_.new_block("failed");
  c_.b.CreateBr(c_.failed);
}

// Lane after lane would be a vector a value: of those that fail one is told.
Value* Reports::message_in_memory(const ir::Inst& check, Value* lane) {
  if (check.operands.size() == 1) return llvm::ConstantPointerNull::get(c_.b.getPtrTy());
  auto* type = llvm::ArrayType::get(c_.b.getInt64Ty(), kMostPrinted);
  if (!message_) message_ = c_.variable(type, "message");
  for (size_t k = 1; k < check.operands.size(); ++k) {
    const ir::Inst& operand = *check.operands[k];
    const ScalarKind kind = operand.type.scalar();
    Value* value = values_.of(operand).uniform()
                       ? values_.scalar(operand, kind)
                       : c_.b.CreateExtractElement(values_.vector(operand, kind), lane);
    Value* to = c_.b.CreateConstInBoundsGEP2_64(type, message_, 0, k - 1);
    c_.b.CreateStore(wide(kind, value), to);
  }
  return message_;
}

// As the interpreter holds it, in 64 bits: a scalar, or of each lane.
Value* Reports::wide(ScalarKind kind, Value* value) {
  llvm::Type* type = c_.b.getInt64Ty();
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType()))
    type = llvm::FixedVectorType::get(type, vector->getNumElements());
  if (is_float(kind)) value = c_.b.CreateBitCast(value, integer_like(value->getType()));
  return is_signed_int(kind) ? c_.b.CreateSExt(value, type) : c_.b.CreateZExt(value, type);
}

Value* Reports::wide_vector(const ir::Inst& operand) {
  const ScalarKind kind = operand.type.scalar();
  return wide(kind, values_.vector(operand, kind));
}

// Lane after lane, for one operand after the other.
llvm::AllocaInst* Reports::operands_in_memory(const ir::Inst& inst) {
  const size_t count = std::max<size_t>(1, inst.operands.size()) * c_.width();
  auto* type = llvm::ArrayType::get(c_.b.getInt64Ty(), count);
  llvm::AllocaInst*& values = buffers_[count];
  if (!values) values = c_.variable(type, "operands");
  for (size_t i = 0; i < inst.operands.size(); ++i) {
    Value* to = c_.b.CreateConstInBoundsGEP2_64(type, values, 0, i * c_.width());
    c_.b.CreateAlignedStore(wide_vector(*inst.operands[i]), to, llvm::Align(8));
  }
  return values;
}

void Reports::print(const ir::Inst& inst, const Mask& mask) {
  Value* values = operands_in_memory(inst);
  Value* lanes = c_.b.CreateZExtOrTrunc(bits(mask), c_.b.getInt64Ty());
  call("cd_kernel_prints", {launch(), c_.b.getInt32(static_cast<uint32_t>(inst.imm)),
                            c_.b.getInt32(c_.width()), lanes, values});
}

void Reports::opaque(const ir::Inst& inst, const Mask& mask) {
  llvm::Type* number = c_.b.getInt32Ty();
  Value* operands = operands_in_memory(inst);
  llvm::AllocaInst* answers =
      c_.variable(llvm::FixedVectorType::get(number, c_.width()), "answers");
  c_.b.CreateStore(llvm::Constant::getNullValue(answers->getAllocatedType()), answers);
  Value* asked = bits(mask);
  llvm::BasicBlock *before = c_.b.GetInsertBlock(), *lane = c_.new_block("opaque"),
                   *done = c_.new_block("opaque_done");
  c_.b.CreateBr(lane);
  c_.start(lane);
  llvm::PHINode* left = c_.b.CreatePHI(asked->getType(), 2);
  left->addIncoming(asked, before);
  Value* at = c_.b.CreateZExtOrTrunc(c_.masks.first_lane(left), c_.b.getInt64Ty());
  Value* answer = call("cd_opaque",
                       {c_.b.getInt64(static_cast<uint64_t>(inst.imm)),
                        c_.b.getInt32(static_cast<uint32_t>(inst.operands.size())),
                        c_.b.CreateGEP(c_.b.getInt64Ty(), operands, at), c_.b.getInt32(c_.width())},
                       number);
  c_.b.CreateStore(answer, c_.b.CreateGEP(number, answers, at));
  Value* rest =
      c_.b.CreateAnd(left, c_.b.CreateSub(left, llvm::ConstantInt::get(left->getType(), 1)));
  left->addIncoming(rest, c_.b.GetInsertBlock());
  c_.b.CreateCondBr(c_.b.CreateIsNotNull(rest), lane, done);
  c_.start(done);
  Value* all = c_.b.CreateLoad(answers->getAllocatedType(), answers);
  values_.define_vector(inst, ScalarKind::I32, all);
}

}  // namespace cuda_device::codegen::host
