// Prefetches the places at which the next gang's atomic operations will be made, in arrays that no
// cache holds, where data of the launch decide them:
//
//                                        %j = add %i, 32
//                                        %more = lt %j, extent of %keys
//                                        if %more {
//                                          %next = load %keys, %j
//                                          prefetch %table, hash of %next
//                                        }
//   %x = load %keys, %i                  %x = load %keys, %i
//   atomic_rmw %table, hash of %x        atomic_rmw %table, hash of %x
//
// Lanes make atomic operations one after the other, and none begins before what was read for the
// one before it has come from memory. The places of 32 lanes come side by side instead, while the
// gang before them is at work. In a loop that looks on from there, the first place counts.
//
// Blocks of one row. Runs on targets whose threads are lanes, after the last dce: nothing uses a
// prefetch.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void prefetch_places(ir::Function& f);

}  // namespace cuda_device::passes
