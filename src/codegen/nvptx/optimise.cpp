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
  run_passes(module, machine, [](llvm::PassBuilder& builder, llvm::ModulePassManager& passes) {
    llvm::Error error = builder.parsePassPipeline(passes, kPasses);
    CD_CHECK(!error, "LLVM: " + llvm::toString(std::move(error)));
  });
}

}  // namespace cuda_device::codegen::nvptx
