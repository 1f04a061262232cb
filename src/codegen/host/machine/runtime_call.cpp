#include "codegen/host/machine/runtime_call.h"

namespace cuda_device::codegen::host {

llvm::CallInst* call_runtime(llvm::IRBuilder<>& b, llvm::Module& module, const char* name,
                             llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*, 6> types;
  for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
  auto callee = module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->addFnAttr(llvm::Attribute::NonLazyBind);
  return b.CreateCall(function, arguments);
}

}  // namespace cuda_device::codegen::host
