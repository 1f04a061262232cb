// Machines without mask registers: a mask is a vector of 32-bit integers, all ones where it is set.
#pragma once

#include "codegen/host/machine/target.h"

namespace cuda_device::codegen::host {

// Rewrites masks, vectors of i1, as vectors of i32: what compares give and blends take there. Left
// to itself LLVM packs them to bytes between basic blocks and unpacks them for each use.
//
//   %live = phi <32 x i1>                 %live = phi <32 x i32>
//   %c = fcmp <32 x float>                %c = sext (fcmp <32 x float>)
//   %m = and %live, %c                    %m = and %live, %c
//   select %m, %a, %b                     select (icmp slt %m, 0), %a, %b
//   icmp eq (bitcast %m to i32), 0        the same of one register: the or of all its parts
//
// `native`: 32-bit lanes of a register.
void use_lane_masks(llvm::Function& function, unsigned native);

}  // namespace cuda_device::codegen::host
