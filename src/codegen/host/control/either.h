// Code for where a condition holds, and code for where it does not.
#pragma once

#include <type_traits>
#include <utility>

#include "codegen/llvm.h"

namespace cuda_device::codegen::host {

// Each in a branch of its own. The value of whichever ran, where they return one.
template <class Yes, class No>
auto either(llvm::IRBuilder<>& b, llvm::Value* condition, Yes&& yes, No&& no) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  const auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(b.getContext(), name, function);
  };
  llvm::BasicBlock *on_yes = block("yes"), *on_no = block("no"), *done = block("done");
  b.CreateCondBr(condition, on_yes, on_no);
  const auto emit = [&](llvm::BasicBlock* start, auto& branch) {
    b.SetInsertPoint(start);
    if constexpr (std::is_void_v<decltype(branch())>) {
      branch();
      b.CreateBr(done);
    } else {
      llvm::Value* value = branch();
      return std::pair(value, b.CreateBr(done)->getParent());
    }
  };
  if constexpr (std::is_void_v<decltype(yes())>) {
    emit(on_yes, yes);
    emit(on_no, no);
    b.SetInsertPoint(done);
  } else {
    const auto first = emit(on_yes, yes), second = emit(on_no, no);
    b.SetInsertPoint(done);
    llvm::PHINode* value = b.CreatePHI(first.first->getType(), 2);
    value->addIncoming(first.first, first.second);
    value->addIncoming(second.first, second.second);
    return value;
  }
}

}  // namespace cuda_device::codegen::host
