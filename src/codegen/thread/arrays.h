// Arrays as addresses: parameters of the kernel, shared and local memory of its own, views of
// these.
#pragma once

#include "codegen/thread/platform.h"

namespace cuda_device::codegen::thread {

class Arrays {
 public:
  Arrays(EmitContext& context, Platform& platform)
      : c_(context), platform_(platform), memory_(context.function.arrays.size()) {}

  // The first element, in the address space of the array.
  llvm::Value* data(const ir::Inst& array);
  // int64
  llvm::Value* extent(const ir::Inst& array, int64_t axis);
  llvm::Value* stride(const ir::Inst& array, int64_t axis);
  // What every element is aligned to.
  llvm::Align alignment(const ir::Inst& array) const;

 private:
  llvm::Value* own(size_t array);
  llvm::Value* local(size_t array) const;

  EmitContext& c_;
  Platform& platform_;
  std::vector<llvm::Value*> memory_;  // by array of the function; made when first used
};

}  // namespace cuda_device::codegen::thread
