// One atomic operation on one element, as LLVM instructions.
#pragma once

#include "codegen/host/lowering/host_arithmetic.h"
#include "ir/atomic.h"

namespace cuda_device::codegen::host {

class AtomicElement {
 public:
  // `alone`: no other thread accesses the element meanwhile. One worker runs a block, so that holds
  // of shared memory.
  AtomicElement(llvm::IRBuilder<>& b, HostArithmetic& arithmetic, const ir::AtomicSpec& spec,
                ScalarKind kind, bool alone)
      : b_(b), arithmetic_(arithmetic), spec_(spec), kind_(kind), alone_(alone) {}

  llvm::Value* load(llvm::Type* type, llvm::Value* pointer);
  void store(llvm::Value* value, llvm::Value* pointer);
  // Each gives the value before.
  llvm::Value* rmw(llvm::Value* operand, llvm::Value* pointer);
  llvm::Value* compare_and_swap(llvm::Value* expected, llvm::Value* wanted, llvm::Value* pointer);

  // Sets the element to what `next` makes of it, which may be asked again: another thread was
  // faster. The value before.
  llvm::Value* change(llvm::Type* type, llvm::Value* pointer,
                      llvm::function_ref<llvm::Value*(llvm::Value* old)> next);

  // What the operation makes of the old value; of one lane or of all.
  llvm::Value* after(llvm::Value* old, llvm::Value* operand);
  static llvm::AtomicOrdering ordering(ir::MemoryOrder order);

 private:
  llvm::AtomicCmpXchgInst* try_swap(llvm::Value* expected, llvm::Value* wanted,
                                    llvm::Value* pointer);
  llvm::Value* bits(llvm::Value* value);

  llvm::IRBuilder<>& b_;
  HostArithmetic& arithmetic_;
  const ir::AtomicSpec spec_;
  const ScalarKind kind_;
  const bool alone_;
};

}  // namespace cuda_device::codegen::host
