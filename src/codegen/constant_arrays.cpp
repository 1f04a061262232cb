#include "codegen/constant_arrays.h"

namespace cuda_device::codegen {

llvm::GlobalVariable* constant_variable(llvm::Module& module, const ir::Allocation& array,
                                        const std::string& name, unsigned address_space) {
  if (llvm::GlobalVariable* known = module.getNamedGlobal(name)) return known;
  // PTX has no arrays of no bytes.
  const std::string contents = array.contents.empty() ? std::string(1, '\0') : array.contents;
  llvm::Constant* bytes = llvm::ConstantDataArray::getString(module.getContext(), contents, false);
  auto* variable = new llvm::GlobalVariable(
      module, bytes->getType(), true, llvm::GlobalValue::InternalLinkage, bytes, name, nullptr,
      llvm::GlobalValue::NotThreadLocal, address_space);
  variable->setAlignment(llvm::Align(array.align));
  return variable;
}

}  // namespace cuda_device::codegen
