#include "codegen/host/loop_hints.h"

namespace cuda_device::codegen::host {

static void hint(llvm::Instruction* back, const char* name) {
  llvm::LLVMContext& c = back->getContext();
  llvm::MDNode* hint = llvm::MDNode::get(c, llvm::MDString::get(c, name));
  llvm::MDNode* loop = llvm::MDNode::getDistinct(c, {nullptr, hint});
  loop->replaceOperandWith(0, loop);
  back->setMetadata(llvm::LLVMContext::MD_loop, loop);
}

void keep_rolled(llvm::Instruction* back) { hint(back, "llvm.loop.unroll.disable"); }
void write_out(llvm::Instruction* back) { hint(back, "llvm.loop.unroll.full"); }

}  // namespace cuda_device::codegen::host
