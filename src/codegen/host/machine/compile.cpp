#include "codegen/host/machine/compile.h"

#include "codegen/effort.h"
#include "codegen/host/kernel.h"
#include "codegen/host/machine/emulation.h"
#include "codegen/host/machine/gang_width.h"
#include "codegen/host/machine/link.h"
#include "codegen/host/machine/pipeline.h"
#include "codegen/host/machine/scheduling.h"
#include "codegen/host/masks/mask_form.h"
#include "codegen/listing.h"
#include "ir/visitor.h"

namespace cuda_device::codegen {
namespace host {
namespace {

constexpr const char* kEntry = "kernel";

void record(std::string* where, const llvm::Module& module, const SourceLines* lines) {
  if (where) *where = lines ? text_with_lines(module, *lines) : text_of(module);
}

// Lanes of 8 and 16 bits, masks of which are as wide as a whole gang.
bool has_small_lanes(const ir::Function& f) {
  bool found = false;
  ir::for_each_inst(f.body, [&](const ir::Inst& inst) {
    const ir::Type& type = inst.type;
    const bool element = type.is_array() || (type.is_scalar() && !type.is_bool());
    found = found || (element && bits_of(type.scalar) < 32);
  });
  return found;
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

// What code of ours keeps on the stack, such as the lanes of a scatter that goes lane by lane.
uint64_t bytes_of_arrays(const llvm::Function& function) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  uint64_t bytes = 0;
  for (const llvm::Instruction& i : function.getEntryBlock())
    if (const auto* array = llvm::dyn_cast<llvm::AllocaInst>(&i))
      bytes += array->getAllocationSize(layout).value_or(llvm::TypeSize::getFixed(0));
  return bytes;
}

analysis::Analysis analyse(const ir::Function& f, uint32_t width, const HostOptions& options) {
  const StageTimer timer(options.times, "analyses");
  return analysis::analyse(f, width, options.tuning);
}

}  // namespace

Compiled compile(const ir::Function& f, const analysis::Analysis& analysis,
                 const HostOptions& options, const Listing& listing) {
  Compiled result;
  abi::KernelImage& image = result.image;
  image.kind = abi::ImageKind::HostCode;
  describe(f, image);
  image.target =
      std::string("x86-64/") + (options.emulate ? "emulated-" : "") + name_of(options.mask);
  image.width = static_cast<uint8_t>(analysis.layout.width);
  const std::string cpu = options.emulate ? generic_cpu(options.mask) : options.cpu;
  const bool small_lanes = has_small_lanes(f) || !options.tuning.on(Heuristic::mask_pieces);
  Target target = target_of(options.mask, small_lanes, cpu, options.tune);
  target.slow_masked_stores &= options.tuning.on(Heuristic::plain_stores);
  const Effort effort = effort_for(f);
  with_llvm(options.stop, [&](llvm::LLVMContext& context) {
    Owned<llvm::TargetMachine> machine = make_target_machine(target.machine);
    Owned<llvm::Module> module(new llvm::Module(f.name, context));
    set_target(*module, *machine);
    module->setRtLibUseGOT();
    {
      const StageTimer timer(options.times, "emission");
      if (listing.accesses) listing.accesses->clear();
      const KernelSource source{f,       analysis, image.params,    target,
                                options, effort,   listing.accesses};
      image.arena = emit_kernel(*module, source, kEntry);
    }
    llvm::Function* entry = module->getFunction(kEntry);
    report_frame(*entry);
    record(listing.llvm, *module, options.lines);
    if (options.verify_llvm) verify_or_throw(*module, "emission");
    {
      const StageTimer timer(options.times, "optimisation");
      optimise(*module, *machine, effort);
      apply_mask_form(*module, target, options.tuning);
      if (options.emulate) {
        const Target there = target_of(MaskForm::Avx2, /*small_lanes=*/true, options.cpu);
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
    const uint64_t arrays = bytes_of_arrays(*entry);
    link_object(*module, *machine, options, image);
    result.frame = largest_frame(context);
    result.spilled = result.frame - std::min(result.frame, arrays);
  });
  return result;
}

analysis::Analysis conservative_analysis(const ir::Function& f) {
  analysis::Analysis a;
  analysis::Shape varying;
  varying.level = analysis::Level::Varying;
  a.shapes.assign(f.inst_count(), varying);
  a.ranges.resize(f.inst_count());
  a.slot_shapes.assign(f.slots.size(), varying);
  a.slot_ranges.resize(f.slots.size());
  a.congruences.resize(f.inst_count());
  a.slot_congruences.resize(f.slots.size());
  a.store_blends.assign(f.inst_count(), true);
  a.nontemporal_stores.assign(f.inst_count(), false);
  a.divergent.assign(f.inst_count(), true);
  return a;
}

}  // namespace host

// Two warps a gang only where registers hold them.
abi::KernelImage compile_host(const ir::Function& f, const HostOptions& options,
                              const Listing& listing) {
  constexpr uint64_t kFewSpills = 512;  // bytes
  const auto chosen = [&](host::Compiled compiled) {
    if (listing.frame) *listing.frame = static_cast<uint32_t>(compiled.frame);
    if (listing.spilled) *listing.spilled = static_cast<uint32_t>(compiled.spilled);
    return std::move(compiled.image);
  };
  const auto warp = host::analyse(f, analysis::kWarpWidth, options);
  const uint32_t width = host::choose_gang_width(f, warp, options);
  if (width != warp.layout.width) {
    auto wide = host::compile(f, host::analyse(f, width, options), options, listing);
    if (options.gang_width == width || wide.spilled <= kFewSpills) return chosen(std::move(wide));
  }
  return chosen(host::compile(f, warp, options, listing));
}

const char* llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace cuda_device::codegen
