#include "codegen/host/threads/kernel.h"

#include "codegen/host/lowering/host_arithmetic.h"
#include "codegen/host/threads/platform.h"
#include "codegen/thread/body.h"

namespace cuda_device::codegen::host {

ThreadCode emit_thread_kernel(llvm::Module& module, const ThreadKernel& source, const char* name) {
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer}, false);
  auto* kernel = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  set_attributes(*kernel, source.target);
  const char* names[] = {"params", "self"};
  for (unsigned i = 0; i < 2; ++i) {
    kernel->getArg(i)->setName(names[i]);
    kernel->addParamAttr(i, llvm::Attribute::NoAlias);
  }
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", kernel));
  HostArithmetic arithmetic(builder, module, source.target);
  thread::EmitContext c(kernel, source.function, source.analysis, builder, arithmetic);
  c.lines.open(*kernel, c.b, source.lines, source.function.name);
  ThreadPlatform platform(c, arithmetic, source);
  thread::Body(c, platform).emit();
  c.lines.close();
  return platform.code();
}

}  // namespace cuda_device::codegen::host
