#include "codegen/codegen.h"
#include "codegen/effort.h"
#include "codegen/host/kernel.h"
#include "codegen/host/machine/emulation.h"
#include "codegen/host/machine/link.h"
#include "codegen/host/machine/pipeline.h"
#include "codegen/host/machine/scheduling.h"
#include "codegen/host/masks/mask_form.h"
#include "codegen/listing.h"
#include "ir/visitor.h"

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

}  // namespace

abi::KernelImage compile_host(const ir::Function& f, const analysis::Analysis& gangs,
                              const HostOptions& options, const Listing& listing) {
  abi::KernelImage image;
  image.kind = abi::ImageKind::HostCode;
  describe(f, image);
  image.target =
      std::string("x86-64/") + (options.emulate ? "emulated-" : "") + name_of(options.mask);
  image.width = static_cast<uint8_t>(gangs.layout.width);
  const std::string cpu = options.emulate ? generic_cpu(options.mask) : options.cpu;
  const bool small_lanes = has_small_lanes(f) || !options.tuning.on(Heuristic::mask_pieces);
  Target target = target_of(options.mask, small_lanes, cpu, options.tune);
  target.slow_masked_stores &= options.tuning.on(Heuristic::plain_stores);
  const Effort effort = effort_for(f, gangs);
  with_llvm(options.stop, [&](llvm::LLVMContext& context) {
    Owned<llvm::TargetMachine> machine = make_target_machine(target.machine);
    Owned<llvm::Module> module(new llvm::Module(f.name, context));
    set_target(*module, *machine);
    module->setRtLibUseGOT();
    {
      const StageTimer timer(options.times, "emission");
      if (listing.accesses) listing.accesses->clear();
      const KernelSource source{f, gangs, image.params, target, options, effort, listing.accesses};
      image.arena = emit_kernel(*module, source, kEntry);
    }
    llvm::Function* entry = module->getFunction(kEntry);
    report_frame(*entry);
    record(listing.llvm, *module, options.lines);
    if (options.verify_llvm) verify_or_throw(*module, "emission");
    if (!listing.code) return;
    {
      const StageTimer timer(options.times, "optimisation");
      optimise(*module, *machine, effort);
      apply_mask_form(*module, target, options.tuning);
      if (options.emulate) {
        const MaskForm base = *target.info().emulated_on;
        const Target there = target_of(base, /*small_lanes=*/true, options.cpu);
        emulate_avx512(*module, there);
        machine = make_target_machine(there.machine);
      }
      bound_scheduling(*entry, entry->getArg(3));
    }
    record(listing.llvm_opt, *module, options.lines);
    if (options.verify_llvm) verify_or_throw(*module, "optimisation");
    if (listing.assembly) {
      *listing.assembly = emit_assembly(*module, *machine);
      if (options.lines) *listing.assembly = with_lines(*listing.assembly, *options.lines, "#");
    }
    link_object(*module, *machine, options, image);
    if (listing.frame) *listing.frame = static_cast<uint32_t>(largest_frame(context));
  });
  return image;
}

const char* llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace cuda_device::codegen
