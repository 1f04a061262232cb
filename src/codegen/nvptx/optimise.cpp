#include "codegen/nvptx/optimise.h"

#include "codegen/emit_machine.h"
#include "support/check.h"

namespace cuda_device::codegen::nvptx {
namespace {

// Unrolling and scheduling are ptxas's: it knows the registers. `always-inline` takes in libdevice.
constexpr const char* kPasses =
    "always-inline,globaldce,"
    "function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm),gvn,loop(indvars),instcombine<no-verify-fixpoint>,dse,"
    "loop-mssa(licm),adce,simplifycfg)";

}  // namespace

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  Owned<llvm::LoopAnalysisManager> loops(new llvm::LoopAnalysisManager);
  Owned<llvm::FunctionAnalysisManager> functions(new llvm::FunctionAnalysisManager);
  Owned<llvm::CGSCCAnalysisManager> graphs(new llvm::CGSCCAnalysisManager);
  Owned<llvm::ModuleAnalysisManager> modules(new llvm::ModuleAnalysisManager);
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(*modules);
  builder.registerCGSCCAnalyses(*graphs);
  builder.registerFunctionAnalyses(*functions);
  builder.registerLoopAnalyses(*loops);
  builder.crossRegisterProxies(*loops, *functions, *graphs, *modules);
  llvm::ModulePassManager passes;
  llvm::Error error = builder.parsePassPipeline(passes, kPasses);
  CD_CHECK(!error, "LLVM: " + llvm::toString(std::move(error)));
  passes.run(module, *modules);
}

}  // namespace cuda_device::codegen::nvptx
