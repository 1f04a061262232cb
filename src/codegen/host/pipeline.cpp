#include "codegen/host/pipeline.h"

namespace cuda_device::codegen::host {
namespace {

llvm::FunctionPassManager function_passes() {
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass(true, false)));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

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
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(function_passes()));
  passes.run(module, *modules);
}

}  // namespace cuda_device::codegen::host
