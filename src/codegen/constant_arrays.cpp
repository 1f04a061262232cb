#include "codegen/constant_arrays.h"

namespace cuda_device::codegen {

llvm::GlobalVariable* constant_variable(llvm::Module& module, const ir::Allocation& array,
                                        const std::string& name, unsigned address_space) {
  if (llvm::GlobalVariable* known = module.getNamedGlobal(name)) return known;
  llvm::Constant* bytes =
      llvm::ConstantDataArray::getString(module.getContext(), array.contents, false);
  auto* variable = new llvm::GlobalVariable(
      module, bytes->getType(), true, llvm::GlobalValue::InternalLinkage, bytes, name, nullptr,
      llvm::GlobalValue::NotThreadLocal, address_space);
  variable->setAlignment(llvm::Align(array.align));
  return variable;
}

}  // namespace cuda_device::codegen
