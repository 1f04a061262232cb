// Sinks stores to one element at the end of both sides of an if: one store stands after it.
//
//   if %c {                              if %c {
//     %x = ...                             %x = ...
//     store %a, %i, %x                     slot_store $v, %x
//   } else {                             } else {
//     %y = ...                             %y = ...
//     store %a, %i, %y                     slot_store $v, %y
//   }                                    }
//                                        %v = slot_load $v
//                                        store %a, %i, %v
//
// Two masked stores, each of some of the lanes, become one of all lanes that come here: a whole
// vector, which later loads can be served from, and whole lines that may be streaming stores.
//
// Each side stores last, as far as anything else there could notice. A thread that leaves a side
// by a jump stores in neither form. Sinks only where lanes diverge at the if; runs on targets whose
// threads are lanes, before cse, which unites what was computed for the index in both sides.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

void sink_stores(ir::Function& f);

}  // namespace cuda_device::passes
