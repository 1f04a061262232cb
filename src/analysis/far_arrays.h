// Arrays that no cache holds. What caches hold comes soon enough, and asking for it ahead of time
// costs instructions.
#pragma once

#include "ir/ir.h"

namespace cuda_device::analysis {

inline bool lies_beyond_cache(const ir::Inst& array, const ir::Function& f) {
  return array.op == ir::Op::Param && f.params[static_cast<size_t>(array.imm)].facts.beyond_cache;
}

}  // namespace cuda_device::analysis
