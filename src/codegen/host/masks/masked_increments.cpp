#include "codegen/host/masks/masked_increments.h"

namespace cuda_device::codegen::host {
namespace {

using llvm::Instruction;
using llvm::Value;

// What `sum` adds where a mask is set: 1 or -1, or nothing that comes from a mask.
int step_of(const llvm::BinaryOperator& sum, const llvm::CastInst& mask) {
  const int extended = llvm::isa<llvm::ZExtInst>(mask) ? 1 : -1;
  if (sum.getOpcode() == Instruction::Add) return extended;
  return sum.getOpcode() == Instruction::Sub && sum.getOperand(1) == &mask ? -extended : 0;
}

llvm::CastInst* extended_mask(Value* value) {
  auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
  const bool extends = cast && (llvm::isa<llvm::ZExtInst>(cast) || llvm::isa<llvm::SExtInst>(cast));
  const bool mask =
      extends && cast->getType()->isVectorTy() && cast->getSrcTy()->getScalarType()->isIntegerTy(1);
  return mask && cast->hasOneUse() ? cast : nullptr;
}

Value* masked_increment(llvm::BinaryOperator& sum) {
  for (unsigned side : {1u, 0u}) {
    llvm::CastInst* cast = extended_mask(sum.getOperand(side));
    const int step = cast ? step_of(sum, *cast) : 0;
    if (step == 0) continue;
    llvm::IRBuilder<> b(&sum);
    Value* from = sum.getOperand(1 - side);
    Value* by = llvm::ConstantInt::getSigned(sum.getType(), step);
    return b.CreateSelect(cast->getOperand(0), b.CreateAdd(from, by), from);
  }
  return nullptr;
}

}  // namespace

void use_masked_increments(llvm::Function& function) {
  llvm::SmallVector<llvm::BinaryOperator*, 8> sums;
  for (Instruction& i : llvm::instructions(function))
    if (auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&i)) sums.push_back(binary);
  for (llvm::BinaryOperator* sum : sums) {
    Value* stepped = masked_increment(*sum);
    if (!stepped) continue;
    stepped->takeName(sum);
    sum->replaceAllUsesWith(stepped);
    sum->eraseFromParent();
  }
}

}  // namespace cuda_device::codegen::host
