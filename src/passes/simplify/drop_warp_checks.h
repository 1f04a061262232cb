// Removes each WarpCheck whose missing lanes leave the kernel without meeting anyone: an operation
// of a warp waits no longer for lanes that have left, so it is right with those that are here.
//
//     if %0 {                                   if %0 {
//       warp_check ~0, %1
//       %2 = ballot %1, %3 : uint32               %2 = ballot %1, %3 : uint32
//       ...                                       ...
//     }                                         }
//     return                                    return
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void drop_warp_checks(ir::Function& f);

}  // namespace cuda_device::passes
