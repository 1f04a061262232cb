#include "codegen/host/machine/scheduling.h"

namespace cuda_device::codegen::host {

void bound_scheduling(llvm::Function& function, llvm::Value* kept) {
  constexpr size_t kMost = 300;  // instructions; a hand-written inner loop has fewer
  llvm::SmallVector<llvm::Instruction*, 16> cuts;
  for (llvm::BasicBlock& block : function) {
    size_t count = 0;
    for (llvm::Instruction& i : block) {
      if (llvm::isa<llvm::PHINode>(i) || ++count % kMost != 0 || i.isTerminator()) continue;
      cuts.push_back(&i);
    }
  }
  for (llvm::Instruction* cut : cuts)
    llvm::IRBuilder<>(cut).CreateIntrinsic(llvm::Intrinsic::fake_use, {}, {kept});
}

}  // namespace cuda_device::codegen::host
