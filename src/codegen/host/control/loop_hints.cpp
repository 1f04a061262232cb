#include "codegen/host/control/loop_hints.h"

namespace cuda_device::codegen::host {

void hint(llvm::Instruction* back, const LoopHints& hints) {
  llvm::LLVMContext& c = back->getContext();
  llvm::SmallVector<llvm::Metadata*, 3> parts = {nullptr};
  auto add = [&](bool wanted, const char* name) {
    if (wanted) parts.push_back(llvm::MDNode::get(c, llvm::MDString::get(c, name)));
  };
  add(hints.keep_rolled, "llvm.loop.unroll.disable");
  add(hints.unroll, "llvm.loop.unroll.full");
  add(hints.keep_inside, "llvm.licm.disable");
  if (parts.size() == 1) return;
  llvm::MDNode* loop = llvm::MDNode::getDistinct(c, parts);
  loop->replaceOperandWith(0, loop);
  back->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

}  // namespace cuda_device::codegen::host
