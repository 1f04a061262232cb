// Unrolls loops of few, constant iterations that index a thread's own arrays, innermost first:
// with constant indices such an array is a set of variables (promote_local.h).
//
//   for $i, %0, %2, %1 {                 slot_store $i, %0
//     %k = slot_load $i                  %k = slot_load $i
//     store %own, %k, %x                 store %own, %k, %x
//   }                                    slot_store $i, %1
//                                        %m = slot_load $i
//                                        store %own, %m, %x
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void unroll_local(ir::Function& f);

}  // namespace cuda_device::passes
