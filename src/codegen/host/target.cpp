#include "codegen/host/target.h"

#include <algorithm>
#include <vector>

#include "support/check.h"

namespace cuda_device::codegen {
namespace host {
namespace {

using Features = llvm::StringMap<bool>;

// Once per process: cpuid traps in virtual machines.
const Features& detected() {
  static const Features features = llvm::sys::getHostCPUFeatures();
  return features;
}

bool has(const char* feature) {
  auto found = detected().find(feature);
  return found != detected().end() && found->second;
}

bool has_all(std::initializer_list<const char*> features) {
  return std::all_of(features.begin(), features.end(), has);
}

bool only_beyond_avx2(llvm::StringRef feature) {
  for (const char* prefix : {"avx512", "avx10", "evex512", "amx", "egpr", "push2pop2", "ppx", "ndd",
                             "ccmp", "nf", "cf", "zu", "jmpabs"})
    if (feature.starts_with(prefix)) return true;
  return false;
}

bool in_baseline(llvm::StringRef feature) {
  static const std::vector<llvm::StringRef> kBaseline = {
      "64bit", "cmov", "cx8",  "cx16", "fxsr",  "mmx",    "popcnt",
      "sahf",  "sse",  "sse2", "sse3", "ssse3", "sse4.1", "sse4.2"};
  return llvm::is_contained(kBaseline, feature);
}

// Those for lanes of 8 and 16 bits, and all that implies them.
bool is_of_small_lanes(llvm::StringRef feature) {
  for (const char* prefix :
       {"avx512bw", "avx512vbmi", "avx512bitalg", "avx512bf16", "avx512fp16", "avx10"})
    if (feature.starts_with(prefix)) return true;
  return false;
}

bool allowed(MaskForm form, llvm::StringRef feature) {
  switch (form) {
    case MaskForm::Avx512:
      return true;
    case MaskForm::Avx2:
      return !only_beyond_avx2(feature);
    case MaskForm::Sse4:
      return in_baseline(feature);
  }
  CD_UNREACHABLE("unknown mask form");
}

// Everything detected is named, one way or the other: the CPU's name alone says too much and too
// little.
std::string feature_string(MaskForm form, bool small_lanes) {
  std::vector<std::string> parts;
  for (const auto& feature : detected()) {
    const bool on = feature.second && allowed(form, feature.first()) &&
                    (small_lanes || !is_of_small_lanes(feature.first()));
    parts.push_back((on ? "+" : "-") + feature.first().str());
  }
  std::sort(parts.begin(), parts.end());  // the same text every time
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

}  // namespace

bool can_run(MaskForm form) {
  switch (form) {
    case MaskForm::Avx512:
      return has_all({"avx512f", "avx512bw", "avx512dq", "avx512vl", "fma", "bmi2"});
    case MaskForm::Avx2:
      return has_all({"avx2", "fma", "f16c", "bmi", "bmi2"});
    case MaskForm::Sse4:
      return has_all({"sse4.2", "popcnt"});
  }
  return false;
}

unsigned vector_bytes(MaskForm form) {
  return form == MaskForm::Avx512 ? 64 : form == MaskForm::Avx2 ? 32 : 16;
}

Target target_of(MaskForm form, bool small_lanes) {
  CD_CHECK(can_run(form), std::string("this CPU cannot run ") + name_of(form));
  Target target;
  target.form = form;
  target.machine = {"x86_64-unknown-linux-gnu", "x86-64", feature_string(form, small_lanes)};
  target.tune_cpu = llvm::sys::getHostCPUName().str();
  target.vector_bytes = vector_bytes(form);
  return target;
}

void set_attributes(llvm::Function& function, const Target& target) {
  function.addFnAttr("target-features", target.machine.features);
  function.addFnAttr("target-cpu", target.machine.cpu);
  function.addFnAttr("tune-cpu", target.tune_cpu);
  const std::string bits = std::to_string(target.vector_bytes * 8);
  function.addFnAttr("prefer-vector-width", bits);
  function.addFnAttr("min-legal-vector-width", bits);
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

}  // namespace host

uint32_t register_bytes(MaskForm form) {
  const uint32_t registers = form == MaskForm::Avx512 ? 32 : 16;
  return registers * host::vector_bytes(form);
}

std::vector<MaskForm> host_mask_forms() {
  std::vector<MaskForm> forms;
  for (MaskForm form : {MaskForm::Avx512, MaskForm::Avx2, MaskForm::Sse4})
    if (host::can_run(form)) forms.push_back(form);
  return forms;
}

const char* name_of(MaskForm form) {
  switch (form) {
    case MaskForm::Avx512:
      return "avx512";
    case MaskForm::Avx2:
      return "avx2";
    case MaskForm::Sse4:
      return "sse4";
  }
  return "?";
}

}  // namespace cuda_device::codegen
