#include "codegen/branch_control.h"

#include "support/check.h"

namespace cuda_device::codegen {

using ir::Inst;
using ir::Op;

void BranchControl::emit_control(const Inst& i) {
  switch (i.op) {
    case Op::If:
      return branch(i);
    case Op::While:
      return while_loop(i);
    case Op::For:
      return for_loop(i);
    case Op::Scope:
      return scope(i);
    case Op::Break:
    case Op::Continue:
    case Op::Leave:
    case Op::Return:
      return jump(i);
    default:
      CD_UNREACHABLE("an operation that is no control");
  }
}

llvm::BasicBlock* BranchControl::new_block(const char* name) {
  return llvm::BasicBlock::Create(b_.getContext(), llvm::Twine(prefix_) + name,
                                  b_.GetInsertBlock()->getParent());
}

void BranchControl::go_to(llvm::BasicBlock* target) {
  if (open_) b_.CreateBr(target);
  open_ = false;
}

void BranchControl::start(llvm::BasicBlock* block) {
  b_.SetInsertPoint(block);
  open_ = true;
}

void BranchControl::inside(const Frame& frame, const ir::Block& body) {
  frames_.push_back(frame);
  emit_block(body);
  frames_.pop_back();
}

void BranchControl::branch(const Inst& i) {
  llvm::Value* taken = condition(i);
  llvm::BasicBlock *then = new_block("then"), *otherwise = new_block("else"),
                   *after = new_block("endif");
  b_.CreateCondBr(taken, then, otherwise);
  llvm::BasicBlock* sides[] = {then, otherwise};
  for (size_t side = 0; side < 2; ++side) {
    start(sides[side]);
    emit_block(i.regions[side]);
    go_to(after);
  }
  // A block that nothing goes to is removed later; what is added to it does no harm.
  start(after);
}

void BranchControl::iterate(const Inst& loop, const ir::Block& body, llvm::BasicBlock* exit,
                            llvm::BasicBlock* next) {
  begin_iteration(loop);
  inside({&loop, exit, next}, body);
  go_to(next);
}

void BranchControl::finish_loop(const ir::Block& else_block, llvm::BasicBlock* finished,
                                llvm::BasicBlock* exit) {
  start(finished);
  emit_block(else_block);
  go_to(exit);
  start(exit);
}

void BranchControl::while_loop(const Inst& i) {
  llvm::BasicBlock *head = new_block("while"), *body = new_block("do"),
                   *finished = new_block("finished"), *exit = new_block("endwhile");
  go_to(head);
  start(head);
  emit_block(i.regions[0]);
  if (open_) b_.CreateCondBr(condition(*i.regions[0].insts.back()), body, finished);
  start(body);
  iterate(i, i.regions[1], exit, head);
  finish_loop(i.regions[2], finished, exit);
}

void BranchControl::scope(const Inst& i) {
  llvm::BasicBlock* exit = new_block("endscope");
  inside({&i, exit, nullptr}, i.regions[0]);
  go_to(exit);
  start(exit);
}

void BranchControl::jump(const Inst& i) {
  if (i.op == Op::Return) return leave_function(i);
  int64_t skip = i.op == Op::Leave ? i.imm : 0;
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    const bool is_scope = frame->construct->op == Op::Scope;
    if (is_scope != (i.op == Op::Leave) || skip-- > 0) continue;
    return go_to(i.op == Op::Continue ? frame->next : frame->exit);
  }
  CD_UNREACHABLE("a jump without a target");
}

}  // namespace cuda_device::codegen
