// A loop that carries more values than the vector registers hold is split into several loops over
// the same iterations, each with as many of those values as fit:
//
//   for $k, %0, %8, %1 {                  for $k, %0, %8, %1 {
//     %a = load %as, %i : float32           %a = load %as, %i : float32
//     %b = load %bs, %j : float32           %0 = slot_load $x : float32
//     %0 = slot_load $x : float32           %1 = fma %a, %a, %0 : float32
//     %1 = fma %a, %a, %0 : float32         slot_store $x, %1
//     slot_store $x, %1                   }
//     %2 = slot_load $y : float32         for $k, %0, %8, %1 {
//     %3 = fma %b, %b, %2 : float32         %b = load %bs, %j : float32
//     slot_store $y, %3                     ...
//   }                                     }
//
// A thread of a GPU has 255 registers; 32 lanes of a CPU have room for 16 values of 32 bits at
// most. Without this, every step of every such value goes through memory.
//
// Splits only loops whose body does nothing but compute and load, and only where what several of
// the loops compute is cheap, and little. Runs on targets whose threads are lanes.
#pragma once

#include "ir/ir.h"
#include "passes/lanes.h"

namespace cuda_device::passes {

void distribute_loops(ir::Function& f, const Lanes& lanes);

}  // namespace cuda_device::passes
