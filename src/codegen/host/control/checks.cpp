// Checks: a branch that is not taken, as long as all lanes pass.
#include "codegen/host/control/control.h"

namespace cuda_device::codegen::host {

using llvm::Value;

// Lanes that pass go on as they came. Where one does not, the kernel returns: nothing that any
// thread of the block would still do is asked for.
void Control::emit_check(const Inst& inst, const Mask& mask) {
  const Inst& condition = *inst.operands[0];
  llvm::BasicBlock* passed = c_.new_block("passed");
  if (parts_.values.of(condition).uniform()) {
    branch_if_likely(parts_.values.scalar(condition, ScalarKind::Bool), passed);
    parts_.reports.fail(inst, parts_.reports.bits(mask));
    return c_.start(passed);
  }
  parts_.reports.fail(inst, enter_failing(condition, true, mask, passed));
  c_.start(passed);
}

// The side of an `if` that always fails, where there is no other; null: it does more.
static const ir::Block* failing_side(const ir::Inst& inst) {
  const size_t side = inst.regions[0].empty() ? 1 : 0;
  const ir::Block& fails = inst.regions[side];
  if (fails.empty() || !inst.regions[1 - side].empty()) return nullptr;
  const ir::Inst& last = *fails.insts.back();
  const bool always =
      last.op == ir::Op::Check && last.operands[0]->op == ir::Op::Const && !last.operands[0]->imm;
  return always ? &fails : nullptr;
}

bool Control::emit_failing_if(const Inst& inst, const Mask& mask) {
  const ir::Block* fails = failing_side(inst);
  if (!fails || exits(inst).escapes) return false;
  llvm::BasicBlock* passed = c_.new_block("passed");
  Value* failing = enter_failing(*inst.operands[0], fails == &inst.regions[1], mask, passed);
  Join end(c_.masks, "has_failed");
  emit_block(*fails, Mask::of(c_.b.CreateBitCast(failing, c_.masks.type()), false), end, end);
  if (end.reached()) {
    end.finish_unmasked();
    c_.b.CreateBr(passed);
  }
  c_.start(passed);
  return true;
}

// Goes on to `passed` unless the condition is not `holds` in some lane: those lanes, as bits.
Value* Control::enter_failing(const Inst& condition, bool holds, const Mask& mask,
                              llvm::BasicBlock* passed) {
  const bool ends_decide = ask_ends(condition, holds, mask, passed);
  Value* failing = failing_lanes(condition, holds, mask);
  if (!ends_decide || !mask.all()) branch_if_likely(c_.b.CreateIsNull(failing), passed);
  return failing;
}

// Lanes that run side by side cannot wait for those that come later, or not at all.
void Control::emit_warp_check(const Inst& inst, const Mask& mask) {
  if (!parts_.warps.is_checked(inst)) return;
  Value *here = c_.masks.bits(mask), *gone = c_.masks.bits(read(returned_));
  Value* elsewhere =
      c_.b.CreateAnd(c_.masks.bits(gang_mask_), c_.b.CreateNot(c_.b.CreateOr(here, gone)));
  Value* failing = parts_.warps.lanes_that_name(*inst.operands[0], elsewhere, mask);
  llvm::BasicBlock* passed = c_.new_block("warp_is_here");
  branch_if_likely(c_.b.CreateIsNull(failing), passed);
  parts_.reports.fail(inst, failing);
  c_.start(passed);
}

// The failing lanes are kept as bits in a register: the vectors that they are computed from need
// not live on to where a failure is reported.
Value* Control::failing_lanes(const Inst& condition, bool holds, const Mask& mask) {
  Value* fails =
      parts_.reports.bits(Mask::of(parts_.values.vector(condition, ScalarKind::Bool), true));
  if (holds) fails = c_.b.CreateNot(fails);
  return mask.all() ? fails : c_.b.CreateAnd(fails, parts_.reports.bits(mask));
}

// Goes on where the ends of a gang with a thread in each lane say that all lanes pass; whether that
// was asked.
bool Control::ask_ends(const Inst& condition, bool holds, const Mask& mask,
                       llvm::BasicBlock* passed) {
  if (!mask.all() && !mask.each) return false;
  Condition parts;
  split(condition, holds, parts);
  if (!parts.shared || parts.lanes) return false;
  branch_if_likely(mask.all() ? parts.shared : c_.b.CreateAnd(mask.each, parts.shared), passed);
  return true;
}

// Goes on where the condition does not hold.
void Control::branch_if_likely(Value* condition, llvm::BasicBlock* to) {
  llvm::BasicBlock* otherwise = c_.new_block("unlikely");
  c_.b.CreateCondBr(condition, to, otherwise,
                    llvm::MDBuilder(c_.llvm()).createLikelyBranchWeights());
  c_.start(otherwise);
}

}  // namespace cuda_device::codegen::host
