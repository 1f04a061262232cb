// Barriers that some threads of a block surely miss. A barrier's condition must be the same for the
// whole block by the language's rule; that is not proven, but what is certainly wrong is refused.
#pragma once

#include <vector>

#include "ir/ir.h"
#include "support/diagnostic.h"

namespace cuda_device::analysis {

// Finds them only where the condition follows from the thread's place in the block alone, the block
// shape is a fact, all threads come to the condition, and those that miss the barrier live on.
std::vector<Diagnostic> certainly_divergent_barriers(const ir::Function& f);

}  // namespace cuda_device::analysis
