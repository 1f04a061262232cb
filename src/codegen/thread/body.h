// The instructions of a kernel as branches, slots and scalar operations.
#pragma once

#include "codegen/branch_control.h"
#include "codegen/thread/memory.h"
#include "codegen/thread/platform.h"

namespace cuda_device::codegen::thread {

class Body : BranchControl {
 public:
  Body(EmitContext& context, Platform& platform);
  void emit();

 private:
  using Inst = ir::Inst;

  void emit_block(const ir::Block& b) override;
  void inst(const Inst& i);
  llvm::Value* arithmetic(const Inst& i);
  llvm::Value* wrapped(const Inst& i);
  llvm::Value* array_number(const Inst& i);
  void define(const Inst& i, llvm::Value* v);
  void define_read(const Inst& i, llvm::Value* v);
  void call(const Inst& i);

  void make_slots();
  bool narrow_slot(size_t slot) const;
  llvm::Value* load_slot(size_t slot);
  void store_slot(size_t slot, llvm::Value* v);

  llvm::Value* condition(const Inst& i) override;
  void for_loop(const Inst& i) override;
  void leave_function(const Inst& i) override;
  void loop(const Inst& i);
  void begin_iteration(const Inst& i) override;
  void observe(llvm::Value* v);

  EmitContext& c_;
  Platform& platform_;
  Arrays arrays_;
  Memory memory_;
  std::vector<llvm::AllocaInst*> slots_;
  // Of the loops around the current instruction that take turns: a hash of what an iteration read
  // from memory and kept in slots.
  std::vector<llvm::AllocaInst*> states_;
};

}  // namespace cuda_device::codegen::thread
