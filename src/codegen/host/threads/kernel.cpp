#include "codegen/host/threads/kernel.h"

#include "codegen/host/lowering/host_arithmetic.h"
#include "codegen/host/threads/platform.h"
#include "codegen/thread/body.h"
#include "codegen/thread/calls.h"

namespace cuda_device::codegen::host {

namespace {

constexpr size_t kEnvironment = 2;

void prepare(llvm::Function& function, const ThreadKernel& source) {
  set_attributes(function, source.target);
  const char* names[] = {"params", "self"};
  for (unsigned i = 0; i < kEnvironment; ++i) {
    function.getArg(i)->setName(names[i]);
    function.addParamAttr(i, llvm::Attribute::NoAlias);
  }
}

void emit(llvm::Function* function, llvm::ArrayRef<llvm::Function*> called,
          const ThreadKernel& source, ThreadCode& code) {
  llvm::Module& module = *function->getParent();
  prepare(*function, source);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  HostArithmetic arithmetic(builder, module, source.target,
                            source.function.options.flush_subnormals);
  thread::EmitContext c(function, source.function, source.analysis, builder, arithmetic);
  c.called = called;
  if (source.function.kernel) thread::begin_called(c, kEnvironment);
  c.lines.open(*function, c.b, source.lines, source.function.name);
  ThreadPlatform platform(c, arithmetic, source, code);
  thread::Body(c, platform).emit();
  c.lines.close();
}

}  // namespace

ThreadCode emit_thread_kernel(llvm::Module& module, const ThreadKernel& source, const char* name) {
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  llvm::Type* const environment[kEnvironment] = {pointer, pointer};
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), environment, false);
  auto* kernel = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  std::vector<llvm::Function*> called;
  for (const auto& f : source.function.functions)
    called.push_back(thread::declare_called(module, *f, environment));
  ThreadCode code;
  emit(kernel, called, source, code);
  for (size_t i = 0; i < called.size(); ++i) {
    const ir::Function& f = *source.function.functions[i];
    const analysis::Analysis analysis = analysis::analyse(f);
    emit(called[i], called, {f, analysis, source.layout, source.target, source.lines}, code);
  }
  return code;
}

}  // namespace cuda_device::codegen::host
