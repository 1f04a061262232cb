// Adds long sums by pairs, where the kernel allows it. The rule, in full:
//
//   A sum is an add or sub of floats and all adds and subs among its operands, and theirs, that
//   stand in the same block and are used nowhere else. A sum of four terms or more, in the order of
//   the source, is added in rounds: the first term to the second, the third to the fourth, and so
//   on; a last one without a partner waits. The next round takes these sums as its terms.
//
//     ((a + b) + c) + d      (a + b) + (c + d)
//     ((a - b) + c) - d      (a - b) + (c - d)
//
// A chain of additions takes as long as their number, pairs as their logarithm. Every target gives
// the same bits, since what is added first follows from the source alone: contract_fma runs on the
// result. Sums of loop iterations keep their order, and so do floats that are only stored.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void reassociate(ir::Function& f);

}  // namespace cuda_device::passes
