// compile_host for a given analysis: tests compile without any, and must get the same results.
#pragma once

#include "analysis/analysis.h"
#include "codegen/codegen.h"

namespace cuda_device::codegen::host {

struct PassTimes {  // seconds
  double emit = 0, optimise = 0, code = 0, link = 0;
};

abi::KernelImage compile(const ir::Function& f, const analysis::Analysis& analysis,
                         const HostOptions& options, const Listing& listing = {},
                         PassTimes* times = nullptr);

// The analysis that knows nothing: every value varies, every branch diverges.
analysis::Analysis know_nothing(const ir::Function& f);

}  // namespace cuda_device::codegen::host
