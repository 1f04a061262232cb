// Emits a branch on a condition, and the code of both sides.
#pragma once

#include <type_traits>
#include <utility>

#include "codegen/llvm.h"

namespace cuda_device::codegen::host {

// `yes` and `no` each emit into a block of their own, with that name in LLVM IR. Returns the value
// of the side that ran, where they return one.
template <class Yes, class No>
auto emit_branch(llvm::IRBuilder<>& b, llvm::Value* condition, Yes&& yes, No&& no,
                 const char* yes_name = "yes", const char* no_name = "no") {
  constexpr bool kHasValue = !std::is_void_v<decltype(yes())>;
  llvm::Function* function = b.GetInsertBlock()->getParent();
  const auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(b.getContext(), name, function);
  };
  llvm::BasicBlock *on_yes = block(yes_name), *on_no = block(no_name), *done = block("done");
  b.CreateCondBr(condition, on_yes, on_no);
  const auto emit = [&](llvm::BasicBlock* start, auto& branch) {
    b.SetInsertPoint(start);
    llvm::Value* value = nullptr;
    if constexpr (kHasValue)
      value = branch();
    else
      branch();
    return std::pair(value, b.CreateBr(done)->getParent());
  };
  const auto first = emit(on_yes, yes), second = emit(on_no, no);
  b.SetInsertPoint(done);
  if constexpr (kHasValue) {
    llvm::PHINode* value = b.CreatePHI(first.first->getType(), 2);
    for (const auto& [made, end] : {first, second}) value->addIncoming(made, end);
    return value;
  }
}

}  // namespace cuda_device::codegen::host
