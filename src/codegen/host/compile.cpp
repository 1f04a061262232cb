#include "codegen/host/compile.h"

#include <chrono>

#include "codegen/host/kernel.h"
#include "codegen/host/link.h"
#include "codegen/host/mask_form.h"
#include "codegen/host/pipeline.h"

namespace cuda_device::codegen {
namespace host {
namespace {

constexpr const char* kEntry = "kernel";

class Clock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double passed = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return passed;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

abi::ParamLayout layout_of_params(const ir::Function& f) {
  std::vector<abi::ParamSlot> slots;
  for (const ir::Param& p : f.params) {
    abi::ParamSlot slot;
    slot.is_array = p.type.is_array();
    slot.scalar = p.type.scalar;
    slot.ndim = p.type.ndim;
    slots.push_back(slot);
  }
  return abi::layout_of(slots);
}

void record(std::string* where, const llvm::Module& module) {
  if (where) *where = text_of(module);
}

}  // namespace

abi::KernelImage compile(const ir::Function& f, const analysis::Analysis& analysis,
                         const HostOptions& options, const Listing& listing, PassTimes* times) {
  abi::KernelImage image;
  image.kind = abi::ImageKind::HostCode;
  image.name = f.name;
  image.target = std::string("x86-64/") + name_of(options.mask);
  image.params = layout_of_params(f);
  image.width = kWidth;
  const Target target = target_of(options.mask);
  PassTimes t;
  with_llvm([&](llvm::LLVMContext& context) {
    Clock clock;
    Owned<llvm::TargetMachine> machine = make_target_machine(target.machine);
    Owned<llvm::Module> module(new llvm::Module(f.name, context));
    set_target(*module, *machine);
    module->setRtLibUseGOT();
    emit_kernel(*module, {f, analysis, image.params, target, options}, kEntry);
    record(listing.llvm, *module);
    if (options.verify_llvm) verify_or_throw(*module, "emission");
    t.emit = clock.lap();
    optimise(*module, *machine);
    apply_mask_form(*module, target);
    record(listing.llvm_opt, *module);
    if (options.verify_llvm) verify_or_throw(*module, "optimisation");
    t.optimise = clock.lap();
    if (listing.assembly) *listing.assembly = emit_assembly(*module, *machine);
    clock.lap();
    const llvm::SmallVector<char, 0> object = emit_object(*module, *machine);
    t.code = clock.lap();
    link(object, kEntry, image);
    t.link = clock.lap();
  });
  if (times) *times = t;
  return image;
}

analysis::Analysis know_nothing(const ir::Function& f) {
  analysis::Analysis a;
  analysis::Shape varying;
  varying.level = analysis::Level::Varying;
  a.shapes.assign(f.inst_count(), varying);
  a.ranges.resize(f.inst_count());
  a.slot_shapes.assign(f.slots.size(), varying);
  a.slot_ranges.resize(f.slots.size());
  a.store_blends.assign(f.inst_count(), true);
  a.divergent.assign(f.inst_count(), true);
  return a;
}

}  // namespace host

abi::KernelImage compile_host(const ir::Function& f, const HostOptions& options,
                              const Listing& listing) {
  return host::compile(f, analysis::analyse(f), options, listing);
}

const char* llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace cuda_device::codegen
