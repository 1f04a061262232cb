#include "codegen/thread/opaque.h"

namespace cuda_device::codegen::thread {

using llvm::Value;

Value* in_memory(EmitContext& c, llvm::ArrayRef<Value*> values) {
  auto* type = llvm::ArrayType::get(c.b.getInt64Ty(), std::max<size_t>(1, values.size()));
  Value* memory = c.variable(type);
  for (size_t k = 0; k < values.size(); ++k)
    c.b.CreateStore(values[k], c.b.CreateConstInBoundsGEP2_64(type, memory, 0, k));
  return memory;
}

Value* wide_operand(EmitContext& c, const ir::Inst& opaque, size_t k) {
  const ScalarKind kind = opaque.operands[k]->type.scalar();
  Value* value = c.operand(opaque, k);
  if (is_float(kind)) {
    auto bits = static_cast<unsigned>(bits_of(kind));
    value = c.b.CreateBitCast(value, c.b.getIntNTy(bits));
  }
  return c.b.CreateIntCast(value, c.b.getInt64Ty(), is_signed_int(kind));
}

Value* emit_opaque(EmitContext& c, const ir::Inst& opaque) {
  llvm::SmallVector<Value*, 8> operands;
  for (size_t k = 0; k < opaque.operands.size(); ++k)
    operands.push_back(wide_operand(c, opaque, k));
  auto callee = c.module.getOrInsertFunction("cd_opaque", c.b.getInt32Ty(), c.b.getInt64Ty(),
                                             c.b.getInt32Ty(), c.b.getPtrTy(), c.b.getInt32Ty());
  llvm::cast<llvm::Function>(callee.getCallee())->addFnAttr(llvm::Attribute::NonLazyBind);
  auto* call = c.b.CreateCall(callee, {c.b.getInt64(static_cast<uint64_t>(opaque.imm)),
                                       c.b.getInt32(static_cast<uint32_t>(operands.size())),
                                       in_memory(c, operands), c.b.getInt32(1)});
  call->setConvergent();
  call->setCannotDuplicate();
  return call;
}

}  // namespace cuda_device::codegen::thread
