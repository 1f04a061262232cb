#include "codegen/nvptx/kernel.h"

#include "codegen/nvptx/body.h"
#include "ir/effects.h"

namespace cuda_device::codegen::nvptx {
namespace {

std::string dimensions(const std::array<uint32_t, 3>& block) {
  return std::to_string(block[0]) + "," + std::to_string(block[1]) + "," + std::to_string(block[2]);
}

// As nvcc's -use_fast_math: subnormals flushed, divisions and roots approximate, a*b+c fused
// wherever that pays.
void allow_fast_math(EmitContext& c) {
  llvm::FastMathFlags flags;
  flags.setApproxFunc();
  flags.setAllowReciprocal();
  flags.setAllowContract(true);
  c.b.setFastMathFlags(flags);
  c.kernel->addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
}

}  // namespace

llvm::Function* emit_kernel(llvm::Module& module, const ir::Function& f,
                            const analysis::Analysis& analysis, const std::string& symbol,
                            const SourceLines* lines) {
  llvm::LLVMContext& context = module.getContext();
  auto* kernel = llvm::Function::Create(kernel_type(context, f), llvm::GlobalValue::ExternalLinkage,
                                        symbol, module);
  kernel->setCallingConv(llvm::CallingConv::PTX_Kernel);
  kernel->setDoesNotThrow();
  if (ir::has_convergent(f.body)) kernel->setConvergent();
  set_param_attributes(*kernel, f);
  if (f.launch.has_block()) kernel->addFnAttr("nvvm.reqntid", dimensions(f.launch.block));
  EmitContext c(kernel, f, analysis);
  if (f.options.fastmath) allow_fast_math(c);
  c.lines.open(*kernel, c.b, lines, f.name);
  Body(c).emit();
  c.lines.close();
  return kernel;
}

}  // namespace cuda_device::codegen::nvptx
