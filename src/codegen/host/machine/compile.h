// compile_host for a given analysis: tests compile without any, and must get the same results.
#pragma once

#include "analysis/analysis.h"
#include "codegen/codegen.h"

namespace cuda_device::codegen::host {

struct Compiled {
  abi::KernelImage image;
  uint64_t frame = 0;    // bytes of stack
  uint64_t spilled = 0;  // those that hold what registers did not
};

Compiled compile(const ir::Function& f, const analysis::Analysis& analysis,
                 const HostOptions& options, const Listing& listing = {});

// The analysis that knows nothing: every value varies, every branch diverges.
analysis::Analysis conservative_analysis(const ir::Function& f);

}  // namespace cuda_device::codegen::host
