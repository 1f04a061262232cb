// The compiler's shared object, opened at the first compile.
#pragma once

#include "compile/jit_api.h"

namespace cuda_device::dispatch {

struct JitLibrary {
  decltype(&cd_jit_compile) compile = nullptr;
  decltype(&cd_jit_inspect) inspect = nullptr;
  decltype(&cd_jit_finish) finish = nullptr;
  decltype(&cd_jit_interpret) interpret = nullptr;
  decltype(&cd_jit_release) release = nullptr;
  decltype(&cd_jit_host_forms) host_forms = nullptr;
  decltype(&cd_jit_emulated_forms) emulated_forms = nullptr;
  decltype(&cd_jit_host_targets) host_targets = nullptr;
  decltype(&cd_jit_ptx_architectures) ptx_architectures = nullptr;
  decltype(&cd_jit_llvm_version) llvm_version = nullptr;
};

// Throws std::runtime_error when the object is missing or does not fit.
const JitLibrary& jit_library();
const JitLibrary* jit_library_if_open();

}  // namespace cuda_device::dispatch
