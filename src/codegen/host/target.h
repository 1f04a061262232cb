// The x86-64 forms of the host target: what each may use of the machine it is compiled on.
#pragma once

#include <string>

#include "codegen/codegen.h"
#include "codegen/emit_machine.h"

namespace cuda_device::codegen::host {

inline constexpr unsigned kWidth = 32;  // lanes of a gang

struct Target {
  MaskForm form = MaskForm::Avx512;
  Machine machine;
  std::string tune_cpu;
  unsigned vector_bytes = 64;  // of a native register
  unsigned native_lanes(unsigned element_bytes) const { return vector_bytes / element_bytes; }
};

Target target_of(MaskForm form);
bool can_run(MaskForm form);

// Attributes that make the back end use exactly this target.
void set_attributes(llvm::Function& function, const Target& target);

}  // namespace cuda_device::codegen::host
