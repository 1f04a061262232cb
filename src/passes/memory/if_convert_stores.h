// A conditional store of what the thread loaded from there before, or something else, becomes a
// store that is always done:
//
//   %x = load %s, %i                     %x = load %s, %i
//   %y = load %s, %j                     %y = load %s, %j
//   if %c {                              %u = select %c, %y, %x
//     store %s, %i, %y                   store %s, %i, %u
//     store %s, %j, %x                   %v = select %c, %x, %y
//   }                                    store %s, %j, %v
//
// It stores a whole vector, from which later loads are forwarded; from a masked store they are not.
// A comparison and exchange is three or four instructions a vector, without a mask.
//
// It is done for shared and local arrays only: what other blocks do to an array in global memory
// between load and store would be undone. Threads of the block are no danger. Those of other gangs
// run before or after the whole region between two barriers. The lanes of a gang run from the load
// to the store in step; so the store puts back what is there, unless two lanes, in this store or in
// another one of the same if, name one element: then one lane's old value could replace what
// another one has just stored. That is ruled out here by indices that provably differ; races need
// no mention. docs/decisions/0014 has the argument.
//
// It is done only where lanes diverge at the if, which does nothing but store values that are
// cheap. Runs on targets whose threads are lanes.
#pragma once

#include "ir/ir.h"
#include "passes/lanes.h"

namespace cuda_device::passes {

void if_convert_stores(ir::Function& f, const Lanes& lanes);

}  // namespace cuda_device::passes
