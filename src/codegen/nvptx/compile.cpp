#include "codegen/codegen.h"
#include "codegen/listing.h"
#include "codegen/nvptx/architecture.h"
#include "codegen/nvptx/kernel.h"
#include "codegen/nvptx/libdevice.h"
#include "codegen/nvptx/stack.h"

namespace cuda_device::codegen {
namespace {

// PTX names are letters, digits, _ and $; a Python name may hold more.
std::string symbol_of(const std::string& name) {
  std::string symbol;
  for (const char c : name) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    symbol += plain ? c : '_';
  }
  const bool starts_well = !symbol.empty() && (symbol[0] < '0' || symbol[0] > '9');
  return starts_well ? symbol : "_" + symbol;
}

void record(std::string* where, const llvm::Module& module, const SourceLines* lines) {
  if (where) *where = lines ? text_with_lines(module, *lines) : text_of(module);
}

analysis::Analysis analyse(const ir::Function& f, const PtxOptions& options) {
  const StageTimer timer(options.times, "analyses");
  return analysis::analyse(f);
}

std::string ptx_of(const ir::Function& f, const PtxOptions& options, const Listing& listing,
                   const std::string& symbol, int version) {
  std::string ptx;
  std::optional<Diagnostic> missing;
  const analysis::Analysis analysis = analyse(f, options);
  with_llvm(options.stop, [&](llvm::LLVMContext& context) {
    Owned<llvm::TargetMachine> machine =
        make_target_machine(nvptx::machine_of(options.sm, version));
    Owned<llvm::Module> module(new llvm::Module(f.name, context));
    set_target(*module, *machine);
    {
      const StageTimer timer(options.times, "emission");
      nvptx::emit_kernel(*module, f, analysis, symbol, nvptx::conversions_of(options.sm, version),
                         options.lines);
    }
    record(listing.llvm, *module, options.lines);
    if (options.verify_llvm) verify_or_throw(*module, "emission");
    if (!listing.code) return;
    {
      const StageTimer timer(options.times, "optimisation");
      missing = nvptx::link_libdevice(*module, {options.libdevice, options.sm, f.options});
      if (missing) return;
      nvptx::optimise(*module, *machine, effort_for(f));
    }
    record(listing.llvm_opt, *module, options.lines);
    if (options.verify_llvm) verify_or_throw(*module, "optimisation");
    const StageTimer timer(options.times, "back end");
    ptx = emit_assembly(*module, *machine);
  });
  if (missing) throw DiagnosticError(*missing);
  return ptx;
}

}  // namespace

abi::KernelImage compile_ptx(const ir::Function& f, const PtxOptions& options,
                             const Listing& listing) {
  const int version = nvptx::ptx_version(options.sm, options.ptx_version);
  abi::KernelImage image;
  image.kind = abi::ImageKind::Ptx;
  describe(f, image);
  if (nvptx::calls_itself(f)) {
    image.nested_calls = ir::kMostNestedCalls;
    image.stack = nvptx::estimated_frame(f);
  }
  image.target = "sm_" + std::to_string(options.sm);
  image.entry_name = symbol_of(f.name);
  const std::string ptx = ptx_of(f, options, listing, image.entry_name, version);
  if (listing.assembly)
    *listing.assembly = options.lines ? with_lines(ptx, *options.lines, "//") : ptx;
  image.code.assign(ptx.begin(), ptx.end());
  image.code.push_back(0);
  return image;
}

}  // namespace cuda_device::codegen
