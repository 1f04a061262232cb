// Whether a region costs less than the branch around it.
#pragma once

#include "ir/ir.h"

namespace cuda_device::codegen::host {

// Only cheap total operations, stores to slots, and exits: it may run with no lane active.
bool may_speculate(const ir::Block& block);

}  // namespace cuda_device::codegen::host
