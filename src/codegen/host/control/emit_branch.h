// Code for where a condition holds, and code for where it does not.
#pragma once

#include <type_traits>
#include <utility>

#include "codegen/llvm.h"

namespace cuda_device::codegen::host {

// Each in a branch of its own, with the name of its block in LLVM IR. The value of whichever ran,
// where they return one.
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
