#include "codegen/nvptx/libdevice.h"

#include <filesystem>

#include "support/check.h"

namespace cuda_device::codegen::nvptx {
namespace {

// The first function of libdevice that the module calls; empty if none.
std::string first_call(const llvm::Module& module) {
  for (const llvm::Function& f : module) {
    if (f.isDeclaration() && f.getName().starts_with("__nv_")) return f.getName().str();
  }
  return "";
}

Diagnostic missing(const std::string& function, const std::string& path) {
  const std::string file = path.empty() ? "libdevice.10.bc" : path;
  return {DiagCode::libdevice_missing, {}, {function, file}, {}, ""};
}

std::unique_ptr<llvm::Module> read(llvm::Module& into, const std::string& path) {
  llvm::SMDiagnostic error;
  auto library = llvm::getLazyIRFileModule(path, error, into.getContext());
  CD_CHECK(library, "cannot read " + path + ": " + error.getMessage().str());
  library->setTargetTriple(into.getTargetTriple());
  library->setDataLayout(into.getDataLayout());
  return library;
}

int answer(llvm::StringRef question, const LibdeviceOptions& options) {
  if (question == "__CUDA_ARCH") return options.sm * 10;
  if (question == "__CUDA_FTZ") return options.allowed.flush_subnormals;
  if (question == "__CUDA_PREC_DIV") return !options.allowed.approximate_divide;
  return !options.allowed.approximate_sqrt;  // __CUDA_PREC_SQRT
}

llvm::StringRef question_of(const llvm::CallInst& call) {
  const auto* text =
      llvm::dyn_cast<llvm::GlobalVariable>(call.getArgOperand(0)->stripPointerCasts());
  CD_CHECK(text && text->hasInitializer(), "a question to __nvvm_reflect that is no constant");
  return llvm::cast<llvm::ConstantDataArray>(text->getInitializer())->getAsCString();
}

// The library asks how it is compiled through calls of this function.
void answer_questions(llvm::Module& module, const LibdeviceOptions& options) {
  llvm::Function* reflect = module.getFunction("__nvvm_reflect");
  if (!reflect) return;
  for (llvm::User* user : llvm::make_early_inc_range(reflect->users())) {
    auto* call = llvm::cast<llvm::CallInst>(user);
    call->replaceAllUsesWith(llvm::ConstantInt::get(
        call->getType(), static_cast<uint64_t>(answer(question_of(*call), options))));
    call->eraseFromParent();
  }
  reflect->eraseFromParent();
}

// Its functions become the module's own, compiled as the kernel is.
void adopt(llvm::Module& module, bool flush_subnormals) {
  for (llvm::Function& f : module) {
    if (f.isDeclaration() || f.getCallingConv() == llvm::CallingConv::PTX_Kernel) continue;
    f.setLinkage(llvm::GlobalValue::InternalLinkage);
    f.removeFnAttr("frame-pointer");
    if (flush_subnormals) f.addFnAttr(kFlushesSubnormals, kFlushing);
  }
}

}  // namespace

std::optional<Diagnostic> link_libdevice(llvm::Module& module, const LibdeviceOptions& options) {
  const std::string call = first_call(module);
  if (call.empty()) return std::nullopt;
  std::error_code error;
  if (!std::filesystem::exists(options.path, error)) return missing(call, options.path);
  const bool failed =
      llvm::Linker::linkModules(module, read(module, options.path), llvm::Linker::LinkOnlyNeeded);
  CD_CHECK(!failed, "cannot link " + options.path);
  const std::string left = first_call(module);
  CD_CHECK(left.empty(), "libdevice has no " + left);
  answer_questions(module, options);
  adopt(module, options.allowed.flush_subnormals);
  return std::nullopt;
}

}  // namespace cuda_device::codegen::nvptx
