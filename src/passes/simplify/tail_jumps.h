// Removes jumps to where control goes anyway, for dce.
#pragma once

#include "ir/ir.h"

namespace cuda_device::passes {

// Removes the jumps to where control goes anyway: a leave at the end of its scope, a continue at
// the end of its loop's body, a return at the end of the kernel. One that ends a side of an if goes
// too; what follows the if then moves into the other side:
//
//   if %c {                       if %c {
//     return                      } else {
//   }                               store %a, %i, %x
//   store %a, %i, %x              }
//
// A tail with a barrier stays where it is.
//
// Returns whether it removed any.
bool remove_tail_jumps(ir::Function& f);

// Whether a leave inside `scope` leaves it.
bool is_left_by_jump(const ir::Inst& scope);

// The scope's body, to stand where the scope stood: leaves to scopes further out have one less to
// cross.
std::vector<ir::Inst*> body_without_scope(ir::Inst& scope);

}  // namespace cuda_device::passes
