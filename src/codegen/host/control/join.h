// A block of LLVM IR in which several paths join, each with the lanes that take it.
#pragma once

#include <vector>

#include "codegen/host/masks/mask_ops.h"

namespace cuda_device::codegen::host {

class Join {
 public:
  Join(MaskOps& masks, const char* name);
  ~Join();
  Join(const Join&) = delete;
  Join& operator=(const Join&) = delete;

  // Ends the current block: its lanes come here.
  void arrive(const Mask& mask);
  // The block to branch to, for a branch the caller adds to the current block.
  llvm::BasicBlock* edge(const Mask& mask);

  bool reached() const { return !arrivals_.empty(); }
  // Goes on here. The mask of the lanes that arrived.
  Mask finish();
  // Goes on here, where the lanes are known otherwise.
  void finish_unmasked();

 private:
  void place_block();

  struct Arrival {
    llvm::BasicBlock* from;
    Mask mask;
  };
  MaskOps& masks_;
  llvm::BasicBlock* block_;
  std::vector<Arrival> arrivals_;
};

}  // namespace cuda_device::codegen::host
