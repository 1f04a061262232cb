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
  using Value = llvm::Value*;

  void emit_block(const ir::Block& b) override;
  void inst(const Inst& i);
  Value arithmetic(const Inst& i);
  Value wrapped(const Inst& i);
  Value array_number(const Inst& i);
  void define(const Inst& i, Value v);

  void make_slots();
  bool narrow_slot(size_t slot) const;
  Value load_slot(size_t slot);
  void store_slot(size_t slot, Value v);

  Value condition(const Inst& i) override;
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
