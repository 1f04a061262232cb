// The instructions of a kernel as branches, slots and scalar operations.
#pragma once

#include "codegen/nvptx/memory.h"

namespace cuda_device::codegen::nvptx {

class Body {
 public:
  explicit Body(EmitContext& context);
  void emit();

 private:
  using Inst = ir::Inst;
  using Value = llvm::Value*;

  struct Frame {
    const Inst* construct;
    llvm::BasicBlock* exit;
    llvm::BasicBlock* next;  // of a loop
  };

  void block(const ir::Block& b);
  void inst(const Inst& i);
  Value computed(const Inst& i);
  Value wrapped(const Inst& i);
  Value array_number(const Inst& i);
  void define(const Inst& i, Value v);

  void make_slots();
  bool narrow_slot(size_t slot) const;
  Value load_slot(size_t slot);
  void store_slot(size_t slot, Value v);

  void branch(const Inst& i);
  void while_loop(const Inst& i);
  void for_loop(const Inst& i);
  void scope(const Inst& i);
  void jump(const Inst& i);
  void iteration(const Inst& i, llvm::BasicBlock* exit, llvm::BasicBlock* next);

  llvm::AllocaInst* variable(llvm::Type* type);
  // Ends the current block by a branch, where control gets to its end at all.
  void go_to(llvm::BasicBlock* target);
  void start(llvm::BasicBlock* block);

  EmitContext& c_;
  Params params_;
  Arrays arrays_;
  Memory memory_;
  std::vector<llvm::AllocaInst*> slots_;
  std::vector<Frame> frames_;
  bool open_ = true;  // control gets to the point where instructions are added
};

}  // namespace cuda_device::codegen::nvptx
