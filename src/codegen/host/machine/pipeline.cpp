#include "codegen/host/machine/pipeline.h"

namespace cuda_device::codegen::host {
namespace {

llvm::FunctionPassManager function_passes(Effort effort) {
  const bool full = effort == Effort::Full;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  if (full)
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass(true, false)));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass(3)));
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::GVNPass(llvm::GVNOptions().setMemDep(full)));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::DSEPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::ADCEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  return passes;
}

}  // namespace

void optimise(llvm::Module& module, llvm::TargetMachine& machine, Effort effort) {
  run_passes(module, machine, [&](llvm::PassBuilder&, llvm::ModulePassManager& passes) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(function_passes(effort)));
  });
}

}  // namespace cuda_device::codegen::host
