// The parameters of the kernel: scalars, and arrays as struct { pointer, shape[], strides[] } by
// value.
#pragma once

#include "codegen/thread/emit_context.h"

namespace cuda_device::codegen::nvptx {

using thread::EmitContext;

constexpr unsigned kGlobalSpace = 1;  // address space of global memory

llvm::FunctionType* kernel_type(llvm::LLVMContext& context, const ir::Function& f);
void set_param_attributes(llvm::Function& kernel, const ir::Function& f);

class Params {
 public:
  explicit Params(EmitContext& context) : c_(context) {}

  llvm::Value* scalar(uint32_t param);
  // The data of an array parameter, in global memory; shape[axis], strides[axis] as int64.
  llvm::Value* data(uint32_t param);
  llvm::Value* extent(uint32_t param, int64_t axis);
  llvm::Value* stride(uint32_t param, int64_t axis);

 private:
  llvm::Value* number(uint32_t param, unsigned field, int64_t axis, bool is_signed);
  llvm::Value* load(llvm::Type* type, uint32_t param, unsigned field, int64_t axis);
  EmitContext& c_;
};

}  // namespace cuda_device::codegen::nvptx
