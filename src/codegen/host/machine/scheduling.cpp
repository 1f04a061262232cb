#include "codegen/host/machine/scheduling.h"

namespace cuda_device::codegen::host {

void bound_scheduling(llvm::Function& function, llvm::Value* kept) {
  constexpr size_t kLong = 2900;  // instructions; a loop over tiles of 8 x 8 sums has 2,600
  llvm::LLVMContext& context = function.getContext();
  auto* nothing = llvm::MDNode::get(context, llvm::MDString::get(context, ""));
  llvm::Value* label = llvm::MetadataAsValue::get(context, nothing);
  for (llvm::BasicBlock& block : function) {
    const bool is_long = block.size() > kLong;
    const auto cut = is_long ? llvm::Intrinsic::codeview_annotation : llvm::Intrinsic::fake_use;
    const size_t most = is_long ? 100 : 300;
    size_t count = 0;
    for (llvm::Instruction& i : block) {
      if (llvm::isa<llvm::PHINode>(i) || ++count % most != 0 || i.isTerminator()) continue;
      llvm::IRBuilder<>(&i).CreateIntrinsic(cut, {}, {is_long ? label : kept});
    }
  }
}

}  // namespace cuda_device::codegen::host
