// The scalar kinds in which an operation is computed: its IR types, or 32 bits where ranges prove
// that a 64-bit integer operation gives the same value there.
#pragma once

#include "analysis/analysis.h"
#include "codegen/llvm.h"

namespace cuda_device::codegen::host {

struct WidthPlan {
  llvm::SmallVector<ScalarKind, 3> operands;
  ScalarKind kind;  // that the operation is carried out in
  ScalarKind result;
};

WidthPlan plan_width(const ir::Inst& inst, const analysis::Analysis& analysis);

}  // namespace cuda_device::codegen::host
