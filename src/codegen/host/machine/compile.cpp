#include <algorithm>

#include "codegen/codegen.h"
#include "codegen/effort.h"
#include "codegen/host/kernel.h"
#include "codegen/host/machine/emulation.h"
#include "codegen/host/machine/link.h"
#include "codegen/host/machine/pipeline.h"
#include "codegen/host/machine/scheduling.h"
#include "codegen/host/masks/mask_form.h"
#include "codegen/host/threads/kernel.h"
#include "codegen/listing.h"
#include "ir/visitor.h"
#include "support/check.h"

namespace cuda_device::codegen {
namespace {

using namespace host;

constexpr const char* kEntry = "kernel";

void record(std::string* where, const llvm::Module& module, const SourceLines* lines) {
  if (where) *where = lines ? text_with_lines(module, *lines) : text_of(module);
}

// Lanes of 8 and 16 bits, masks of which are as wide as a whole gang.
bool has_small_lanes(const ir::Function& f) {
  return ir::any_inst(f.body, [](const ir::Inst& inst) {
    const ir::Type& type = inst.type;
    const bool element =
        (type.is_array() && !type.has_records()) || (type.is_scalar() && !type.is_bool());
    return element && bits_of(type.scalar()) < 32;
  });
}

void link_object(llvm::Module& module, llvm::TargetMachine& machine, const HostOptions& options,
                 abi::KernelImage& image) {
  llvm::SmallVector<char, 0> object;
  llvm::Function* const entry = module.getFunction(kEntry);
  const bool for_debuggers = options.lines && options.lines->form == SourceLines::Form::Tables;
  if (for_debuggers) entry->setName(image.name);  // which LLVM changes where it is taken
  {
    const StageTimer timer(options.times, "back end");
    object = emit_object(module, machine);
  }
  const StageTimer timer(options.times, "link");
  link(object, entry->getName().str(), image, for_debuggers);
}

bool computes_in_float64(const ir::Function& f) {
  return ir::any_inst(f.body, [](const ir::Inst& inst) {
    const ir::Type& type = inst.type;
    return (type.is_scalar() || type.is_array()) && !type.has_records() &&
           type.scalar() == ScalarKind::F64;
  });
}

// The mode of the machine is for all formats at once, and float64 keeps its subnormal numbers.
bool may_flush_subnormals(const ir::Function& f) {
  if (!f.options.flush_subnormals || computes_in_float64(f)) return false;
  return std::ranges::none_of(f.functions,
                              [](const auto& one) { return computes_in_float64(*one); });
}

abi::KernelImage image_of(const ir::Function& f, const HostOptions& options) {
  abi::KernelImage image;
  image.kind = abi::ImageKind::HostCode;
  describe(f, image);
  image.flush_subnormals = may_flush_subnormals(f);
  image.target =
      std::string("x86-64/") + (options.emulate ? "emulated-" : "") + name_of(options.mask);
  return image;
}

abi::WorkerTable::Merge merge_of(ir::AtomicKind kind) {
  using Merge = abi::WorkerTable::Merge;
  switch (kind) {
    case ir::AtomicKind::Add:
      return Merge::Add;
    case ir::AtomicKind::And:
      return Merge::And;
    case ir::AtomicKind::Or:
      return Merge::Or;
    case ir::AtomicKind::Xor:
      return Merge::Xor;
    case ir::AtomicKind::Max:
      return Merge::Max;
    case ir::AtomicKind::Min:
      return Merge::Min;
    default:
      CD_UNREACHABLE("tables that cannot be merged");
  }
}

// A long kernel has none: each update of such an array is code twice.
std::vector<abi::WorkerTable> tables_of(const analysis::Analysis& a, Effort effort) {
  std::vector<abi::WorkerTable> tables;
  if (effort == Effort::Bounded) return tables;
  for (const analysis::WorkerTable& table : a.worker_tables)
    if (tables.size() < abi::kMostWorkerTables)
      tables.push_back({table.param, merge_of(table.merge), table.element});
  return tables;
}

// Bytes that a call between functions of the module pushes, which are in nobody's frame: at most
// all of the arguments, and the place of a result.
uint64_t most_pushed(const llvm::Module& module) {
  constexpr uint64_t kPushed = 8;
  uint64_t most = 0;
  for (const llvm::Function& f : module) {
    if (f.isDeclaration()) continue;
    uint64_t bytes = kPushed;
    for (const llvm::Argument& a : f.args())
      bytes += llvm::alignTo(module.getDataLayout().getTypeAllocSize(a.getType()), kPushed);
    most = std::max(most, bytes);
  }
  return most;
}

// From emission to the linked image, for code of gangs and of single threads.
class Build {
 public:
  Build(const ir::Function& f, const HostOptions& options, const Listing& listing, Effort effort)
      : function_(f),
        options_(options),
        listing_(listing),
        effort_(effort),
        target_(target_for(f, options)) {
    target_.slow_masked_stores &= options.tuning.on(Heuristic::plain_stores);
  }
  const Target& target() const { return target_; }

  // `emit` adds the entry to a module; `use_masks` is for what LLVM has made of that.
  void run(abi::KernelImage& image, llvm::function_ref<void(llvm::Module&)> emit,
           llvm::function_ref<void(llvm::Module&, Owned<llvm::TargetMachine>&)> use_masks) {
    with_llvm(options_.stop, [&](llvm::LLVMContext& context) {
      // Names are for readers. Passes that make many values spend longer on names than on these.
      context.setDiscardValueNames(!listing_.llvm && !listing_.llvm_opt);
      Owned<llvm::TargetMachine> machine = make_target_machine(target_.machine);
      Owned<llvm::Module> module(new llvm::Module(function_.name, context));
      set_target(*module, *machine);
      module->setRtLibUseGOT();
      {
        const StageTimer timer(options_.times, "emission");
        emit(*module);
      }
      llvm::Function* entry = module->getFunction(kEntry);
      for (llvm::Function& f : *module)
        if (!f.isDeclaration()) report_frame(f);
      record(listing_.llvm, *module, options_.lines);
      if (options_.verify_llvm) verify_or_throw(*module, "emission");
      if (!listing_.code) return;
      {
        const StageTimer timer(options_.times, "optimisation");
        optimise(*module, *machine, effort_);
        use_masks(*module, machine);
        bound_scheduling(*entry, entry->getArg(entry->arg_size() - 1));
      }
      record(listing_.llvm_opt, *module, options_.lines);
      if (options_.verify_llvm) verify_or_throw(*module, "optimisation");
      if (listing_.assembly) {
        *listing_.assembly = emit_assembly(*module, *machine);
        if (options_.lines)
          *listing_.assembly = with_lines(*listing_.assembly, *options_.lines, "#");
      }
      link_object(*module, *machine, options_, image);
      if (listing_.frame)
        *listing_.frame = static_cast<uint32_t>(largest_frame(context) + most_pushed(*module));
    });
  }

 private:
  static Target target_for(const ir::Function& f, const HostOptions& options) {
    const std::string cpu = options.emulate ? generic_cpu(options.mask) : options.cpu;
    const bool small_lanes = has_small_lanes(f) || !options.tuning.on(Heuristic::mask_pieces);
    return target_of(options.mask, small_lanes, cpu, options.tune);
  }

  const ir::Function& function_;
  const HostOptions& options_;
  const Listing& listing_;
  const Effort effort_;
  Target target_;
};

}  // namespace

abi::KernelImage compile_host(const ir::Function& f, const analysis::Analysis& gangs,
                              const HostOptions& options, const Listing& listing) {
  abi::KernelImage image = image_of(f, options);
  image.width = static_cast<uint8_t>(gangs.layout.width);
  const Effort effort = effort_for(f, gangs);
  image.tables = tables_of(gangs, effort);
  Build build(f, options, listing, effort);
  build.run(
      image,
      [&](llvm::Module& module) {
        if (listing.accesses) listing.accesses->clear();
        const KernelSource source{f,       gangs,  image.params,    image.tables, build.target(),
                                  options, effort, listing.accesses};
        image.arena = emit_kernel(module, source, kEntry);
      },
      [&](llvm::Module& module, Owned<llvm::TargetMachine>& machine) {
        apply_mask_form(module, build.target(), options.tuning);
        if (!options.emulate) return;
        const MaskForm base = *build.target().info().emulated_on;
        const Target there = target_of(base, /*small_lanes=*/true, options.cpu);
        emulate_avx512(module, there);
        machine = make_target_machine(there.machine);
      });
  return image;
}

// Code of single threads has no masks. So where a form is emulated, it is that of the CPU.
abi::KernelImage compile_host_threads(const ir::Function& f, const analysis::Analysis& analysis,
                                      const HostOptions& options, std::vector<Span>& sites,
                                      const Listing& listing) {
  abi::KernelImage image = image_of(f, options);
  image.threads = true;
  HostOptions own = options;
  if (options.emulate) {
    own.mask = *info_of(options.mask).emulated_on;
    own.emulate = false;
  }
  Build build(f, own, listing, effort_for(f));
  build.run(
      image,
      [&](llvm::Module& module) {
        if (listing.accesses) listing.accesses->assign(f.inst_count(), "");
        const ThreadKernel source{f, analysis, image.params, build.target(), options.lines};
        ThreadCode code = emit_thread_kernel(module, source, kEntry);
        image.arena = code.arena;
        sites = std::move(code.sites);
      },
      [](llvm::Module&, Owned<llvm::TargetMachine>&) {});
  return image;
}

const char* llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace cuda_device::codegen
