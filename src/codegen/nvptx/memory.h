// Loads and stores of array elements.
#pragma once

#include "codegen/nvptx/params.h"

namespace cuda_device::codegen::nvptx {

class Memory {
 public:
  Memory(EmitContext& context, Params& params);

  llvm::Value* load(const ir::Inst& inst);
  void store(const ir::Inst& inst);

 private:
  llvm::Value* address(const ir::Inst& inst, size_t indices);
  llvm::Align alignment(uint32_t param) const;
  void annotate(llvm::Instruction* access, uint32_t param) const;

  EmitContext& c_;
  Params& params_;
  std::vector<bool> written_;          // by parameter
  std::vector<llvm::MDNode*> scopes_;  // by parameter that overlaps no other; else null
};

}  // namespace cuda_device::codegen::nvptx
