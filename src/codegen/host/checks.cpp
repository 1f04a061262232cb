// Checks: a branch that is not taken, as long as all lanes pass.
#include "codegen/host/control.h"

namespace cuda_device::codegen::host {

using llvm::Value;

// Lanes that pass go on as they came. Where one does not, the kernel returns: nothing that any
// thread of the block would still do is asked for.
void Control::emit_check(const Inst& inst, const Mask& mask) {
  const Inst& condition = *inst.operands[0];
  llvm::BasicBlock* passed = c_.new_block("passed");
  if (parts_.values.of(condition).uniform()) {
    branch_if_likely(parts_.values.scalar(condition, ScalarKind::Bool), passed);
    parts_.reports.fail(inst, mask);
    return c_.start(passed);
  }
  if (mask.all() || mask.each) {
    Value* pass = all_lanes_have(condition, true);
    branch_if_likely(mask.all() ? pass : c_.b.CreateAnd(mask.each, pass), passed);
  }
  const Mask failing = c_.masks.without(mask, parts_.values.vector(condition, ScalarKind::Bool));
  if (!mask.all()) branch_if_likely(c_.b.CreateNot(c_.masks.any(failing)), passed);
  parts_.reports.fail(inst, failing);
  c_.start(passed);
}

// Goes on where the condition does not hold.
void Control::branch_if_likely(Value* condition, llvm::BasicBlock* to) {
  llvm::BasicBlock* otherwise = c_.new_block("unlikely");
  c_.b.CreateCondBr(condition, to, otherwise,
                    llvm::MDBuilder(c_.llvm()).createLikelyBranchWeights());
  c_.start(otherwise);
}

}  // namespace cuda_device::codegen::host
