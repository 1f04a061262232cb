// How many instructions an operation takes on a gang of 32 lanes.
#pragma once

#include "unit/codegen/op_cases.h"

namespace cuda_device::codegen::test {

// Everything but the moves of operands and result from and to arrays: constants, spills and code on
// paths not taken count. Operands and results that are bools are masks, in registers. Math
// functions are expanded as for every kernel.
int instructions_of(const OpCase& c, MaskForm form);

// Instructions of a kernel, as counted above.
int instructions_of(const ir::Function& f, MaskForm form);

// The kernel that is counted.
std::string assembly_of(const OpCase& c, MaskForm form);

}  // namespace cuda_device::codegen::test
