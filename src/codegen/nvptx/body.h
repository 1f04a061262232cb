// The instructions of a kernel as branches, slots and scalar operations.
#pragma once

#include "codegen/branch_control.h"
#include "codegen/nvptx/memory.h"

namespace cuda_device::codegen::nvptx {

class Body : BranchControl {
 public:
  explicit Body(EmitContext& context);
  void emit();

 private:
  using Inst = ir::Inst;

  void emit_block(const ir::Block& b) override;
  void inst(const Inst& i);
  llvm::Value* arithmetic(const Inst& i);
  llvm::Value* wrapped(const Inst& i);
  llvm::Value* array_number(const Inst& i);
  void define(const Inst& i, llvm::Value* v);

  void make_slots();
  bool narrow_slot(size_t slot) const;
  llvm::Value* load_slot(size_t slot);
  void store_slot(size_t slot, llvm::Value* v);

  llvm::Value* condition(const Inst& i) override;
  void for_loop(const Inst& i) override;
  void leave_kernel() override;

  llvm::AllocaInst* variable(llvm::Type* type);

  EmitContext& c_;
  Params params_;
  Arrays arrays_;
  Memory memory_;
  std::vector<llvm::AllocaInst*> slots_;
};

}  // namespace cuda_device::codegen::nvptx
