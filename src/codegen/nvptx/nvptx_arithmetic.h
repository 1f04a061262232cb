// What PTX does better than the shared lowering: saturating conversions, libdevice's functions.
#pragma once

#include "codegen/emit_arithmetic.h"

namespace cuda_device::codegen::nvptx {

class NvptxArithmetic : public Arithmetic {
 public:
  NvptxArithmetic(llvm::IRBuilder<>& builder, llvm::Module& module)
      : Arithmetic(builder), module_(module) {}

 protected:
  llvm::Value* float_to_int(ScalarKind from, ScalarKind to, llvm::Value* x) override;
  llvm::Value* ldexp(ScalarKind kind, llvm::Value* x, llvm::Value* exponent) override;
  llvm::Value* function(ir::Op op, ScalarKind kind, Values operands) override;

 private:
  llvm::Value* ldexp_f32(llvm::Value* x, llvm::Value* exponent);

  llvm::Module& module_;
};

}  // namespace cuda_device::codegen::nvptx
