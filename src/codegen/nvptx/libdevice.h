// NVIDIA's library of device functions as LLVM bitcode: found in the toolkit, never shipped.
#pragma once

#include <string>

#include "codegen/llvm.h"

namespace cuda_device::codegen::nvptx {

struct LibdeviceOptions {
  std::string path;
  int sm = 0;
  bool fastmath = false;
};

// Links the functions that the module calls, as its own. Does nothing where it calls none; throws a
// DiagnosticError where it does and the library is not there.
void link_libdevice(llvm::Module& module, const LibdeviceOptions& options);

}  // namespace cuda_device::codegen::nvptx
