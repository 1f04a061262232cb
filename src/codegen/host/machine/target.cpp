#include "codegen/host/machine/target.h"

#include <algorithm>
#include <vector>

#include "support/check.h"

namespace cuda_device::codegen {
namespace host {
namespace {

using Features = llvm::StringMap<bool>;

// Read once per process: cpuid traps in virtual machines.
const Features& detected() {
  static const Features features = llvm::sys::getHostCPUFeatures();
  return features;
}

Features features_of(const std::string& cpu) {
  if (cpu.empty()) return detected();
  CD_CHECK(llvm::X86::parseArchX86(cpu) != llvm::X86::CK_None, "no CPU is named " + cpu);
  llvm::SmallVector<llvm::StringRef> names;
  llvm::X86::getFeaturesForCPU(cpu, names);
  Features features;
  for (llvm::StringRef name : names) {
    features[name] = true;
    llvm::X86::updateImpliedFeatures(name, true, features);
  }
  return features;
}

bool can_run(MaskForm form, const Features& features) {
  return llvm::all_of(info_of(form).features,
                      [&](const char* name) { return features.lookup(name); });
}

// Features for lanes of 8 and 16 bits, and all that implies them.
bool is_of_small_lanes(llvm::StringRef feature) {
  for (const char* prefix :
       {"avx512bw", "avx512vbmi", "avx512bitalg", "avx512bf16", "avx512fp16", "avx10"})
    if (feature.starts_with(prefix)) return true;
  return false;
}

// Names every known feature, as on or off: the CPU's name alone says too much and too little.
std::string feature_string(MaskForm form, bool small_lanes, const Features& features) {
  std::vector<std::string> parts;
  for (const auto& feature : features) {
    const bool on = feature.second && info_of(form).allows(feature.first()) &&
                    (small_lanes || !is_of_small_lanes(feature.first()));
    parts.push_back((on ? "+" : "-") + feature.first().str());
  }
  std::sort(parts.begin(), parts.end());  // the same text every time
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

// AMD's vmaskmov to memory takes 12 cycles (Zen 3) or more, whatever the mask, and its CPUs gather
// slowly.
bool is_by_amd(llvm::StringRef cpu) { return cpu.starts_with("znver") || cpu.starts_with("bdver"); }

}  // namespace

Target target_of(MaskForm form, bool small_lanes, const std::string& cpu, const std::string& tune) {
  const Features features = features_of(cpu);
  CD_CHECK(can_run(form, features),
           (cpu.empty() ? "this CPU" : cpu) + " cannot run " + name_of(form));
  Target target;
  target.form = form;
  target.machine = {"x86_64-unknown-linux-gnu", "x86-64",
                    feature_string(form, small_lanes, features)};
  target.tune_cpu = !tune.empty() ? tune : !cpu.empty() ? cpu : llvm::sys::getHostCPUName().str();
  // Sixteen lanes by AVX-512 take Zen 5 4.7 ns, by loads 1.9.
  const FormInfo& form_info = target.info();
  const bool by_amd = is_by_amd(target.tune_cpu);
  target.slow_gathers = form_info.slow_gathers || by_amd;
  target.slow_masked_stores = form_info.masked != 0 && !form_info.mask_registers && by_amd;
  return target;
}

void set_attributes(llvm::Function& function, const Target& target) {
  function.addFnAttr("target-features", target.machine.features);
  function.addFnAttr("target-cpu", target.machine.cpu);
  function.addFnAttr("tune-cpu", target.tune_cpu);
  const std::string bits = std::to_string(target.info().vector_bytes * 8);
  function.addFnAttr("prefer-vector-width", bits);
  function.addFnAttr("min-legal-vector-width", bits);
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

}  // namespace host

std::vector<MaskForm> host_mask_forms() {
  std::vector<MaskForm> forms;
  for (MaskForm form : kMaskForms)
    if (host::can_run(form, host::detected())) forms.push_back(form);
  return forms;
}

bool can_emulate(MaskForm form) {
  const std::optional<MaskForm> base = info_of(form).emulated_on;
  return base && host::can_run(*base, host::detected());
}

}  // namespace cuda_device::codegen
