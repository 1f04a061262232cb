// Algebra of masks. Emission knows one form, a vector of i1; mask_form.h turns it into the
// machine's form.
#pragma once

#include "codegen/host/lowering/lanes.h"

namespace cuda_device::codegen::host {

class MaskOps {
 public:
  MaskOps(llvm::IRBuilder<>& builder, unsigned width) : b_(builder), width_(width) {}

  llvm::Value* lanes(const Mask& mask);  // as a vector
  llvm::Value* any(const Mask& mask);    // as i1
  llvm::Value* bits(const Mask& mask);   // as a number, a bit for each lane
  // What the highest lane of a mask, which has one, holds of a vector.
  llvm::Value* last_of(llvm::Value* vector, const Mask& mask);
  // What a lane, which there is, holds of a vector.
  llvm::Value* element(llvm::Value* vector, llvm::Value* lane);
  // The lowest lane among bits, one a lane. Any number where there is none, or where LLVM moves it
  // to before the question: good to address memory with, not to take an element of a vector.
  llvm::Value* first_lane(llvm::Value* bits);
  // body(lane) for each lane of the mask, in order. A loop, so that it is small however many there
  // are; of several lanes an iteration, where that is asked for and all of them are on.
  void for_each_lane(const Mask& mask, llvm::function_ref<void(llvm::Value* lane)> body,
                     unsigned an_iteration = 1);
  llvm::AllocaInst* variable(llvm::Type* type, const llvm::Twine& name = "");
  // Memory to take lanes out of a vector by their number, or put them in, until the next such
  // place: one for all of them, since LLVM joins none. `number` tells apart those in use at once.
  llvm::AllocaInst* scratch(llvm::Type* type, unsigned number);
  Mask both(const Mask& mask, llvm::Value* condition);
  Mask without(const Mask& mask, llvm::Value* condition);
  Mask either(const Mask& x, const Mask& y);

  llvm::Type* type() const;
  unsigned width() const { return width_; }  // lanes of a gang
  llvm::IRBuilder<>& builder() { return b_; }

 private:
  void for_all_lanes(llvm::function_ref<void(llvm::Value* lane)> body, unsigned step);

  llvm::IRBuilder<>& b_;
  unsigned width_;
  llvm::DenseMap<std::pair<llvm::Type*, unsigned>, llvm::AllocaInst*> scratch_;
};

}  // namespace cuda_device::codegen::host
