#include "codegen/emit_machine.h"

#include <algorithm>
#include <mutex>

#include "support/check.h"
#include "support/interrupted.h"

namespace cuda_device::codegen {
namespace {

// LLVM calls this with no lock held, and its frames have unwind tables (it is built without
// exceptions, so none of them stops one), so a fault may leave as an exception. What its frames own
// is leaked.
[[noreturn]] void throw_fatal(void*, const char* reason, bool) {
  throw InternalError(std::string("LLVM: ") + reason);
}

// Two against what takes time in the square of a kernel's length. The register allocator looks, for
// each value and register, at all blocks the value lives through: at so many instead. The
// preparation of code goes over the whole function again for each block that it changes: from so
// many blocks on, over the changed ones. And for PTX, addresses within shared and local memory have
// 32 bits.
void set_options_of_the_back_ends() {
  const char* arguments[] = {"cuda_device", "-grow-region-complexity-budget=400",
                             "-cgpp-huge-func=1000", "-nvptx-short-ptr"};
  llvm::raw_null_ostream ignored;
  llvm::cl::ParseCommandLineOptions(std::size(arguments), arguments, "", &ignored);
}

void initialise_once() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::install_fatal_error_handler(throw_fatal);
    set_options_of_the_back_ends();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

// LLVM's own handler prints errors and exits.
struct Collector : llvm::DiagnosticHandler {
  Collector(std::string& errors, std::stop_token asked_to_stop)
      : errors_(errors), stop(std::move(asked_to_stop)) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (auto* frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info))
      largest_frame = std::max(largest_frame, frame->getResourceSize());
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream out(errors_);
    llvm::DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    out << "\n";
    return true;
  }
  std::string& errors_;
  const std::stop_token stop;
  uint64_t largest_frame = 0;
};

const Collector& collector_of(const llvm::LLVMContext& context) {
  return *static_cast<const Collector*>(context.getDiagHandlerPtr());
}

// Leaves by an exception, as a fault does.
class StopHere : public llvm::FunctionPass {
 public:
  StopHere() : llvm::FunctionPass(kId) {}
  bool runOnFunction(llvm::Function& function) override {
    throw_if_stopped(collector_of(function.getContext()).stop);
    return false;
  }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override { usage.setPreservesAll(); }
  llvm::StringRef getPassName() const override { return "Stop where asked to"; }

 private:
  inline static char kId = 0;
};

// One after each pass over functions. None between those over loops: they go over each loop
// together. Without the sinking of machine code where there are many blocks: for each value it
// looks at all that the value's block dominates.
class StoppablePasses : public llvm::legacy::PassManager {
 public:
  explicit StoppablePasses(const llvm::Module& module)
      : many_blocks_(llvm::any_of(module, [](const auto& f) { return f.size() > kManyBlocks; })) {}
  void add(llvm::Pass* pass) override {
    if (many_blocks_ && pass->getPassID() == &llvm::MachineSinkingLegacyID) return delete pass;
    const bool function = pass->getPassKind() == llvm::PT_Function;
    PassManager::add(pass);
    if (function) PassManager::add(new StopHere);
  }

 private:
  static constexpr size_t kManyBlocks = 1000;
  const bool many_blocks_;
};

constexpr llvm::CodeGenOptLevel kLevel = llvm::CodeGenOptLevel::Default;

void run_back_end(llvm::Module& module, llvm::TargetMachine& machine,
                  llvm::SmallVectorImpl<char>& bytes, llvm::CodeGenFileType type) {
  llvm::raw_svector_ostream out(bytes);
  Owned<StoppablePasses> passes(new StoppablePasses(module));
  CD_CHECK(!machine.addPassesToEmitFile(*passes, out, nullptr, type, /*DisableVerify=*/true),
           "the back end cannot write this kind of file");
  passes->run(module);
}

}  // namespace

void with_llvm(const std::stop_token& stop, const std::function<void(llvm::LLVMContext&)>& work) {
  initialise_once();
  auto context = std::make_unique<llvm::LLVMContext>();
  std::string errors;
  context->setDiagnosticHandler(std::make_unique<Collector>(errors, stop));
  try {
    work(*context);
  } catch (...) {
    // The handler would outlive `errors`.
    context->setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
    context.release();
    throw;
  }
  if (!errors.empty()) throw InternalError("LLVM: " + errors);
}

void report_frame(llvm::Function& function) { function.addFnAttr("warn-stack-size", "0"); }

uint64_t largest_frame(const llvm::LLVMContext& context) {
  return collector_of(context).largest_frame;
}

Owned<llvm::TargetMachine> make_target_machine(const Machine& machine) {
  initialise_once();
  std::string error;
  const llvm::Triple triple(machine.triple);
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  CD_CHECK(target, "LLVM: " + error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // fusing is a pass of ours
  options.MCOptions.AsmVerbose = false;
  Owned<llvm::TargetMachine> made(target->createTargetMachine(triple, machine.cpu, machine.features,
                                                              options, llvm::Reloc::PIC_,
                                                              llvm::CodeModel::Small, kLevel));
  CD_CHECK(made, "LLVM has no back end for " + machine.triple);
  return made;
}

void set_target(llvm::Module& module, const llvm::TargetMachine& machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
}

void run_passes(llvm::Module& module, llvm::TargetMachine& machine, const FillPasses& fill) {
  Owned<llvm::LoopAnalysisManager> loops(new llvm::LoopAnalysisManager);
  Owned<llvm::FunctionAnalysisManager> functions(new llvm::FunctionAnalysisManager);
  Owned<llvm::CGSCCAnalysisManager> graphs(new llvm::CGSCCAnalysisManager);
  Owned<llvm::ModuleAnalysisManager> modules(new llvm::ModuleAnalysisManager);
  const std::stop_token& stop = collector_of(module.getContext()).stop;
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerBeforeNonSkippedPassCallback(
      [&](llvm::StringRef, const llvm::Any&) { throw_if_stopped(stop); });
  llvm::PassBuilder builder(&machine, {}, std::nullopt, &callbacks);
  builder.registerModuleAnalyses(*modules);
  builder.registerCGSCCAnalyses(*graphs);
  builder.registerFunctionAnalyses(*functions);
  builder.registerLoopAnalyses(*loops);
  builder.crossRegisterProxies(*loops, *functions, *graphs, *modules);
  llvm::ModulePassManager passes;
  fill(builder, passes);
  passes.run(module, *modules);
}

void verify_or_throw(const llvm::Module& module, const char* after) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (llvm::verifyModule(module, &out))
    throw InternalError(std::string("invalid LLVM IR after ") + after + ": " + text);
}

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return text;
}

llvm::SmallVector<char, 0> emit_object(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> bytes;
  run_back_end(module, machine, bytes, llvm::CodeGenFileType::ObjectFile);
  return bytes;
}

std::string emit_assembly(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> bytes;
  run_back_end(module, machine, bytes, llvm::CodeGenFileType::AssemblyFile);
  return std::string(bytes.begin(), bytes.end());
}

}  // namespace cuda_device::codegen
