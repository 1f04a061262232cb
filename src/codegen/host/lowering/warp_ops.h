// Operations of a warp, which is a gang: a vote is an operation on masks, a shuffle a permutation
// of vectors, a match a loop over the values that lanes have. Threads do not wait for each other:
// those of a mask are here, or WarpCheck has ended the launch.
#pragma once

#include "codegen/host/lowering/lane_values.h"

namespace cuda_device::codegen::host {

class WarpOps {
 public:
  WarpOps(EmitContext& context, LaneValues& values);

  // All but WarpCheck, which is control.
  void emit(const ir::Inst& inst, const Mask& mask);
  // Whether a WarpCheck stands where lanes may have parted, and whether any does.
  bool is_checked(const ir::Inst& check) const { return checked_[check.id]; }
  bool has_checks() const { return has_checks_; }
  // The lanes of a mask whose operand, a mask, has some of these lanes: a bit for each.
  llvm::Value* lanes_that_name(const ir::Inst& named, llvm::Value* lanes, const Mask& mask);

 private:
  void find_checks(const ir::Block& block, bool parted);
  llvm::Value* of_mask(const ir::Inst& inst, llvm::Value* bits);
  llvm::Value* is_empty(llvm::Value* bits);
  void define(const ir::Inst& inst, llvm::Value* value);
  bool asks_all_lanes(const ir::Inst& inst);
  llvm::SmallVector<llvm::Value*, 2> registers_of(const ir::Inst& inst, llvm::Value* lanes);
  llvm::Value* in_some_lane(const ir::Inst& inst, llvm::Value* lanes);
  llvm::Value* in_all_lanes(const ir::Inst& inst, llvm::Value* lanes);
  void vote(const ir::Inst& inst, const Mask& mask);
  void shuffle(const ir::Inst& inst);
  llvm::Value* shuffled(const ir::Inst& inst, llvm::Value* vector);
  llvm::Value* sources(const ir::Inst& inst);
  void match(const ir::Inst& inst, const Mask& mask);
  llvm::Value* compared(const ir::Inst& operand);
  llvm::Value* lanes_with(llvm::Value* vector, llvm::Value* lane, const Mask& mask);
  llvm::Value* lanes_alike(llvm::Value* vector, const Mask& mask);

  EmitContext& c_;
  LaneValues& values_;
  std::vector<bool> checked_;  // by Inst::id
  bool has_checks_ = false;
};

}  // namespace cuda_device::codegen::host
