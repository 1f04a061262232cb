// NVIDIA's library of device functions as LLVM bitcode: found in the toolkit, never shipped.
#pragma once

#include <optional>
#include <string>

#include "codegen/llvm.h"
#include "support/diagnostic.h"

namespace cuda_device::codegen::nvptx {

struct LibdeviceOptions {
  std::string path;
  int sm = 0;
  bool fastmath = false;
};

// Links the functions that the module calls, as its own. Does nothing where it calls none. Where it
// does and the library is not there, says so: an exception would be taken for a fault of LLVM's,
// whose objects are leaked.
[[nodiscard]] std::optional<Diagnostic> link_libdevice(llvm::Module& module,
                                                       const LibdeviceOptions& options);

}  // namespace cuda_device::codegen::nvptx
