// Algebra of masks. Emission knows one form, a vector of i1; mask_form.h turns it into what the
// machine likes.
#pragma once

#include "codegen/host/lanes.h"

namespace cuda_device::codegen::host {

class MaskOps {
 public:
  MaskOps(llvm::IRBuilder<>& builder, unsigned width) : b_(builder), width_(width) {}

  llvm::Value* lanes(const Mask& mask);  // as a vector
  llvm::Value* any(const Mask& mask);    // as i1
  // The lowest and the highest lane of a mask as an integer, one bit a lane; any number where it is
  // empty.
  llvm::Value* first_lane(llvm::Value* bits);
  llvm::Value* last_lane(llvm::Value* bits);
  Mask both(const Mask& mask, llvm::Value* condition);
  Mask without(const Mask& mask, llvm::Value* condition);
  Mask either(const Mask& x, const Mask& y);

  llvm::Type* type() const;
  unsigned width() const { return width_; }  // lanes of a gang
  llvm::IRBuilder<>& builder() { return b_; }

 private:
  llvm::IRBuilder<>& b_;
  unsigned width_;
};

}  // namespace cuda_device::codegen::host
