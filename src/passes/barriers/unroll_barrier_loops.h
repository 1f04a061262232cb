// Unrolls loops that hold a barrier where it is known now how they run: a `for` with constant
// bounds, a `while` whose condition follows from constants that the loop itself updates.
//
//   slot_store $0, %2                    slot_store $0, %2
//   while {
//     %3 = slot_load $0 : int32
//     %4 = gt %3, %0 : bool
//     yield %4
//   } do {
//     %5 = and %t, %3 : int32            %5 = and %t, %2 : int32      (once for each iteration)
//     ...                                ...
//     barrier                            barrier
//     %6 = floordiv %3, %2 : int32       %6 = const 1 : int32
//     slot_store $0, %6                  slot_store $0, %6
//   }
//
// Constants such as the distance of an exchange decide how lanes lie to each other. LLVM does not
// see these loops: on the host they stand around the loops over gangs, and to LLVM a count that
// doubles or halves is hard even where they stay loops. So only those are unrolled, all others
// are LLVM's; and only where a constant reaches what it can change, which excludes a sum or an
// index: moving an address by a constant costs nothing at run time either.
//
// Runs on every target, since what is constant is so everywhere, and before unroll_local, to which
// inner loops may then have constant bounds and arrays constant indices.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void unroll_barrier_loops(ir::Function& f);

}  // namespace cuda_device::passes
