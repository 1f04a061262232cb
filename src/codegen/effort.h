// How much LLVM may look at while it compiles one kernel.
#pragma once

#include <cstdint>

#include "analysis/analysis.h"
#include "ir/ir.h"

namespace cuda_device::codegen {

enum class Effort : uint8_t {
  Full,
  // What takes time in the square of a kernel's length is left out: loads found again by a search
  // through all blocks before them; loops turned round, each time with a look at all loops of the
  // kernel. Nothing is taken out of the loops over gangs and blocks: thousands of values, each
  // alive through all of the code. And LLVM does not see that gangs are counted: it would make
  // counters for the addresses that depend on them, and seek proofs for each in all loops before
  // it. PTX gets no loops unrolled.
  Bounded,
};

Effort effort_for(const ir::Function& f);
// On the host, where accesses by lanes and branches become several blocks each.
Effort effort_for(const ir::Function& f, const analysis::Analysis& analysis);

}  // namespace cuda_device::codegen
