// What PTX does better than the shared lowering: saturating conversions, libdevice's functions.
#pragma once

#include "codegen/emit_arithmetic.h"

namespace cuda_device::codegen::nvptx {

class NvptxArithmetic : public Arithmetic {
 public:
  NvptxArithmetic(llvm::IRBuilder<>& builder, llvm::Module& module)
      : Arithmetic(builder), module_(module) {}

 protected:
  Value float_to_int(ScalarKind from, ScalarKind to, Value x) override;
  Value ldexp(ScalarKind kind, Value x, Value exponent) override;
  Value function(ir::Op op, ScalarKind kind, Values operands) override;

 private:
  Value ldexp_f32(Value x, Value exponent);

  llvm::Module& module_;
};

}  // namespace cuda_device::codegen::nvptx
