// NVIDIA's library of device functions as LLVM bitcode: found in the toolkit, never shipped.
#pragma once

#include <optional>
#include <string>

#include "codegen/llvm.h"
#include "support/diagnostic.h"
#include "support/fast_math.h"

namespace cuda_device::codegen::nvptx {

// The attribute of functions that take subnormal numbers of float32 for zero, and its value.
inline constexpr const char* kFlushesSubnormals = "denormal-fp-math-f32";
inline constexpr const char* kFlushing = "preserve-sign,preserve-sign";

struct LibdeviceOptions {
  std::string path;
  int sm = 0;
  FastMath allowed = {};
};

// Links the functions that the module calls, as its own. Does nothing where it calls none. Where it
// does and the library is not there, says so: an exception would be taken for a fault of LLVM's,
// whose objects are leaked.
[[nodiscard]] std::optional<Diagnostic> link_libdevice(llvm::Module& module,
                                                       const LibdeviceOptions& options);

}  // namespace cuda_device::codegen::nvptx
