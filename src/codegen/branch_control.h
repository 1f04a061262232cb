// Structured control as branches, where each condition is one bit: that of a single thread, or one
// for all threads of a block. This class knows where jumps lead; classes derived from it emit the
// instructions between them.
#pragma once

#include <vector>

#include "codegen/llvm.h"
#include "ir/ir.h"

namespace cuda_device::codegen {

class BranchControl {
 protected:
  // `prefix`: of the names of basic blocks.
  BranchControl(llvm::IRBuilder<>& builder, const char* prefix) : b_(builder), prefix_(prefix) {}
  ~BranchControl() = default;

  virtual void emit_block(const ir::Block& block) = 0;
  // Operand 0 of an If or a Yield.
  virtual llvm::Value* condition(const ir::Inst& inst) = 0;
  // A For; counters differ by target. Runs the body by iterate().
  virtual void for_loop(const ir::Inst& inst) = 0;
  // A Return.
  virtual void leave_function(const ir::Inst& inst) = 0;
  // Where each iteration of a loop begins, after its condition.
  virtual void begin_iteration(const ir::Inst& /*loop*/) {}

  // An If, While, For or Scope, or a jump.
  void emit_control(const ir::Inst& inst);
  // The body of a loop: a break leads to `exit`; a continue, and the end of the body, to `next`.
  void iterate(const ir::Inst& loop, const ir::Block& body, llvm::BasicBlock* exit,
               llvm::BasicBlock* next);
  // The else region of a loop, at `finished`, and what follows the loop.
  void finish_loop(const ir::Block& else_block, llvm::BasicBlock* finished, llvm::BasicBlock* exit);

  // Whether control gets to the point where instructions are added.
  bool open() const { return open_; }
  // Ends the current block by a branch, if control gets to its end at all.
  void go_to(llvm::BasicBlock* target);
  void start(llvm::BasicBlock* block);
  void close() { open_ = false; }  // the current block has its terminator
  llvm::BasicBlock* new_block(const char* name);

 private:
  // What a jump may leave.
  struct Frame {
    const ir::Inst* construct;
    llvm::BasicBlock* exit;
    llvm::BasicBlock* next;  // of a loop
  };

  void branch(const ir::Inst& inst);
  void while_loop(const ir::Inst& inst);
  void scope(const ir::Inst& inst);
  void jump(const ir::Inst& inst);
  void inside(const Frame& frame, const ir::Block& body);

  llvm::IRBuilder<>& b_;
  const char* prefix_;
  std::vector<Frame> frames_;
  bool open_ = true;
};

}  // namespace cuda_device::codegen
