// The GPU architectures and the versions of the PTX language, as data.
#pragma once

#include <string>

#include "codegen/emit_machine.h"

namespace cuda_device::codegen::nvptx {

// The PTX version to write, e.g. 84 for 8.4: the newest that LLVM can write and `wanted` allows (0:
// any). Throws a DiagnosticError where that is too old for the architecture.
int ptx_version(int sm, int wanted);

Machine machine_of(int sm, int ptx_version);

// The conversions to floats that are only stored for which there are instructions.
struct Conversions {
  bool float16 = false;   // from float64 and integers; from float32 there always is one
  bool bfloat16 = false;  // from float32
  bool float8 = false;    // from float32
};
Conversions conversions_of(int sm, int ptx_version);

}  // namespace cuda_device::codegen::nvptx
