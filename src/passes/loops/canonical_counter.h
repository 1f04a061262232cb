// Gives a `for` a canonical counter, 0, 1, 2 and so on, from which its variable is computed.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

// The type in which iterations are counted, where the variable has this type.
ir::Type unsigned_like(ir::Type type);

// Adds a slot for a count.
int64_t add_counter(ir::Function& f, ir::Type type);

// How many iterations a loop over range(start, stop, step) has, as unsigned_like them.
ir::Inst* trips_of(ir::Builder& b, ir::Inst* start, ir::Inst* stop, ir::Inst* step);

// for i in range(start, stop, step)  ->  for own in range(trips): i = start + own * step
// `trips` is the number of iterations, as unsigned_like the variable; what the loop needs besides
// is put in front of it.
void count_iterations(ir::Builder& before, ir::Inst& loop, ir::Inst* trips);

}  // namespace cuda_device::passes
