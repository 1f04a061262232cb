#include "codegen/nvptx/kernel.h"

#include <algorithm>

#include "codegen/emit_machine.h"
#include "codegen/nvptx/libdevice.h"
#include "codegen/nvptx/nvptx_arithmetic.h"
#include "codegen/nvptx/platform.h"
#include "codegen/thread/body.h"
#include "codegen/thread/calls.h"
#include "ir/effects.h"
#include "support/check.h"

namespace cuda_device::codegen::nvptx {
namespace {

std::string dimensions(const std::array<uint32_t, 3>& block) {
  return std::to_string(block[0]) + "," + std::to_string(block[1]) + "," + std::to_string(block[2]);
}

// min_blocks is about blocks of a known size.
void set_bounds(llvm::Function& kernel, const ir::Function& f) {
  if (f.bounds.max_registers)
    kernel.addFnAttr("nvvm.maxnreg", std::to_string(f.bounds.max_registers));
  if (f.bounds.min_blocks && f.launch.has_block())
    kernel.addFnAttr("nvvm.minctasm", std::to_string(f.bounds.min_blocks));
}

// The pass always-inline inlines the functions of libdevice.
constexpr const char* kBefore =
    "always-inline,globaldce,"
    "function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm),gvn,loop(indvars),instcombine<no-verify-fixpoint>,dse,";
// ptxas unrolls few loops of memory accesses, and then does not see that rows of a tile are read in
// order; it joins their loads where they stand side by side (0031). Scheduling is its own: it knows
// the registers.
constexpr const char* kUnrolling =
    "loop-unroll<O3>,early-cse<memssa>,gvn,instcombine<no-verify-fixpoint>,dse,";
constexpr const char* kAfter = "loop-mssa(licm),adce,simplifycfg)";

void emit(llvm::Function* function, const ir::Function& f, const analysis::Analysis& analysis,
          llvm::ArrayRef<llvm::Function*> called, Conversions conversions,
          const SourceLines* lines) {
  llvm::Module& module = *function->getParent();
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", function));
  NvptxArithmetic arithmetic(builder, module, conversions, f.options.flush_subnormals);
  EmitContext c(function, f, analysis, builder, arithmetic);
  c.called = called;
  if (f.kernel) thread::begin_called(c, environment_types(module.getContext(), *f.kernel).size());
  if (f.options.flush_subnormals) function->addFnAttr(kFlushesSubnormals, kFlushing);
  c.lines.open(*function, c.b, lines, f.name);
  if (f.kernel) {
    CalledPlatform platform(c);
    thread::Body(c, platform).emit();
  } else {
    Platform platform(c);
    thread::Body(c, platform).emit();
  }
  c.lines.close();
}

}  // namespace

llvm::Function* emit_kernel(llvm::Module& module, const ir::Function& f,
                            const analysis::Analysis& analysis, const std::string& symbol,
                            Conversions conversions, const SourceLines* lines) {
  llvm::LLVMContext& context = module.getContext();
  auto* kernel = llvm::Function::Create(kernel_type(context, f), llvm::GlobalValue::ExternalLinkage,
                                        symbol, module);
  kernel->setCallingConv(llvm::CallingConv::PTX_Kernel);
  kernel->setDoesNotThrow();
  if (ir::has_convergent(f.body)) kernel->setConvergent();
  set_param_attributes(*kernel, f);
  if (f.launch.has_block()) kernel->addFnAttr("nvvm.reqntid", dimensions(f.launch.block));
  set_bounds(*kernel, f);
  const llvm::SmallVector<llvm::Type*> environment = environment_types(context, f);
  std::vector<llvm::Function*> called;
  for (const auto& one : f.functions)
    called.push_back(thread::declare_called(module, *one, environment));
  emit(kernel, f, analysis, called, conversions, lines);
  // Any of them may call one that is.
  const bool convergent = std::ranges::any_of(
      f.functions, [](const auto& one) { return ir::has_convergent(one->body); });
  for (size_t i = 0; i < called.size(); ++i) {
    if (convergent) called[i]->setConvergent();
    emit(called[i], *f.functions[i], analysis::analyse(*f.functions[i]), called, conversions,
         lines);
  }
  return kernel;
}

void optimise(llvm::Module& module, llvm::TargetMachine& machine, Effort effort) {
  const std::string passes =
      std::string(kBefore) + (effort == Effort::Full ? kUnrolling : "") + kAfter;
  run_passes(module, machine, [&](llvm::PassBuilder& builder, llvm::ModulePassManager& manager) {
    llvm::Error error = builder.parsePassPipeline(manager, passes);
    CD_CHECK(!error, "LLVM: " + llvm::toString(std::move(error)));
  });
}

}  // namespace cuda_device::codegen::nvptx
