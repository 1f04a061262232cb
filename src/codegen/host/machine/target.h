// The x86-64 forms of the host target: what each may use of the machine it is compiled on.
#pragma once

#include <string>

#include "codegen/emit_machine.h"
#include "codegen/host/machine/form_info.h"

namespace cuda_device::codegen::host {

inline constexpr unsigned kMostLanes = 64;  // of a gang

struct Target {
  MaskForm form = MaskForm::Avx512;
  Machine machine;
  std::string tune_cpu;
  bool slow_gathers = false;        // more than twice the time of a load a lane
  bool slow_masked_stores = false;  // without mask registers: many times a plain store
  const FormInfo& info() const { return info_of(form); }
  unsigned native_lanes(unsigned element_bytes) const { return info().lanes(element_bytes); }
};

// `small_lanes`: the kernel has lanes of 8 or 16 bits. Without, AVX-512 goes without its
// instructions for them: then no mask register is wider than a vector of 32-bit lanes, and a gang's
// mask is held in the pieces that compares give and instructions take, not joined and taken apart.
// `cpu` and `tune`: as in HostOptions.
Target target_of(MaskForm form, bool small_lanes, const std::string& cpu,
                 const std::string& tune = "");

// Attributes that make the back end use exactly this target.
void set_attributes(llvm::Function& function, const Target& target);

}  // namespace cuda_device::codegen::host
