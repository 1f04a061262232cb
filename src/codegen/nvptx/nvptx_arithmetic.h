// What PTX does better than the shared lowering: saturating conversions, libdevice's functions.
#pragma once

#include "codegen/emit_arithmetic.h"
#include "codegen/nvptx/architecture.h"

namespace cuda_device::codegen::nvptx {

class NvptxArithmetic : public Arithmetic {
 public:
  NvptxArithmetic(llvm::IRBuilder<>& builder, llvm::Module& module, Conversions conversions,
                  bool flushes_subnormals)
      : Arithmetic(builder),
        module_(module),
        conversions_(conversions),
        flushes_(flushes_subnormals) {}

 protected:
  llvm::Value* float_to_int(ScalarKind from, ScalarKind to, llvm::Value* x) override;
  // stored_float.cpp
  llvm::Value* widen(StoredFormat from, llvm::Value* bits) override;
  llvm::Value* round_float32(StoredFormat to, llvm::Value* x) override;
  llvm::Value* narrow(ScalarKind from, StoredFormat to, llvm::Value* x) override;
  llvm::Value* ldexp(ScalarKind kind, llvm::Value* x, llvm::Value* exponent) override;
  llvm::Value* function(ir::Op op, ScalarKind kind, Values operands) override;
  // estimates.cpp
  llvm::Value* estimate(ir::Op op, ScalarKind kind, Values operands) override;

 private:
  llvm::Value* ldexp_f32(llvm::Value* x, llvm::Value* exponent);

  llvm::Module& module_;
  Conversions conversions_;
  bool flushes_;
};

}  // namespace cuda_device::codegen::nvptx
