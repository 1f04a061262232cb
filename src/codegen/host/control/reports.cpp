#include "codegen/host/control/reports.h"

#include "codegen/host/machine/runtime_call.h"

namespace cuda_device::codegen::host {

using llvm::Value;

Value* Reports::bits(const Mask& mask) {
  return c_.b.CreateBitCast(c_.masks.lanes(mask), c_.b.getIntNTy(c_.width()));
}

Value* Reports::launch() { return c_.b.GetInsertBlock()->getParent()->getArg(1); }

Value* Reports::call(const char* name, llvm::ArrayRef<Value*> arguments, llvm::Type* result) {
  return call_runtime(c_.b, c_.module, name, result ? result : c_.b.getVoidTy(), arguments);
}

void Reports::fail(const ir::Inst& check, Value* lanes) {
  Value* lane = c_.b.CreateZExtOrTrunc(c_.masks.first_lane(lanes), c_.b.getInt32Ty());
  const std::array<Value*, 6> where = position_.of_lane(lane);
  auto* type = llvm::ArrayType::get(c_.b.getInt32Ty(), where.size());
  if (!place_) place_ = c_.variable(type, "place");
  for (unsigned i = 0; i < where.size(); ++i)
    c_.b.CreateStore(where[i], c_.b.CreateConstInBoundsGEP2_32(type, place_, 0, i));
  call("cd_kernel_failed", {launch(), c_.b.getInt32(static_cast<uint32_t>(check.imm)), place_});
  if (!c_.failed) c_.failed = c_.new_block("failed");
  c_.b.CreateBr(c_.failed);
}

// As the interpreter holds it, in 64 bits.
Value* Reports::wide_vector(const ir::Inst& operand) {
  const ScalarKind kind = operand.type.scalar();
  Value* vector = values_.vector(operand, kind);
  auto* wide = llvm::FixedVectorType::get(c_.b.getInt64Ty(), c_.width());
  if (is_float(kind)) vector = c_.b.CreateBitCast(vector, integer_like(vector->getType()));
  return is_signed_int(kind) ? c_.b.CreateSExt(vector, wide) : c_.b.CreateZExt(vector, wide);
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
