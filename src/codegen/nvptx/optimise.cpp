#include "codegen/nvptx/optimise.h"

#include "codegen/emit_machine.h"
#include "support/check.h"

namespace cuda_device::codegen::nvptx {
namespace {

// `always-inline` takes in libdevice.
constexpr const char* kBefore =
    "always-inline,globaldce,"
    "function(sroa<modify-cfg>,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-rotate,licm),gvn,loop(indvars),instcombine<no-verify-fixpoint>,dse,";
// ptxas writes out few loops of memory accesses, and then does not see that rows of a tile are read
// in order; it joins their loads where they stand side by side (0031). Scheduling is its own: it
// knows the registers.
constexpr const char* kUnrolling =
    "loop-unroll<O3>,early-cse<memssa>,gvn,instcombine<no-verify-fixpoint>,dse,";
constexpr const char* kBehind = "loop-mssa(licm),adce,simplifycfg)";

}  // namespace

void optimise(llvm::Module& module, llvm::TargetMachine& machine, Effort effort) {
  const std::string passes =
      std::string(kBefore) + (effort == Effort::Full ? kUnrolling : "") + kBehind;
  run_passes(module, machine, [&](llvm::PassBuilder& builder, llvm::ModulePassManager& manager) {
    llvm::Error error = builder.parsePassPipeline(manager, passes);
    CD_CHECK(!error, "LLVM: " + llvm::toString(std::move(error)));
  });
}

}  // namespace cuda_device::codegen::nvptx
