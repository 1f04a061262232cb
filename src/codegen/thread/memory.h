// Loads and stores of array elements.
#pragma once

#include "codegen/thread/arrays.h"

namespace cuda_device::codegen::thread {

class Memory {
 public:
  Memory(EmitContext& context, Platform& platform, Arrays& arrays);

  // The result; null where there is none.
  llvm::Value* emit(const ir::Inst& inst);
  // The address of the element that it accesses.
  llvm::Value* address(const ir::Inst& inst);

 private:
  llvm::Value* load(const ir::Inst& inst);
  void store(const ir::Inst& inst);
  llvm::Align alignment(const ir::Inst& inst) const;
  llvm::Value* offset(const ir::Inst& array, const ir::Inst& index, int64_t axis);
  bool offsets_are_u32(const ir::Inst& array) const;
  void annotate(llvm::Instruction* access, const ir::Inst& array) const;

  EmitContext& c_;
  Platform& platform_;
  Arrays& arrays_;
  const std::vector<bool> changing_;   // by parameter
  std::vector<llvm::MDNode*> scopes_;  // by parameter that overlaps no other; else null
};

}  // namespace cuda_device::codegen::thread
