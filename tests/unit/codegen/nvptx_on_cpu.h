// The scalar code that the PTX target emits, run on this CPU, one thread after another: the same
// LLVM IR, with the special registers read from memory. What is not seen here is LLVM's PTX back
// end and ptxas.
#pragma once

#include "unit/codegen/host_run.h"

namespace cuda_device::codegen::test {

abi::KernelImage compile_scalar_for_cpu(const ir::Function& f, bool optimised);

// EXPECTs the same in every array as the interpreter leaves (array_compare.h), before and after
// LLVM's passes.
void expect_scalar_same(const ir::Function& f, const TestArguments& arguments,
                        const ir::Grid& grid);

}  // namespace cuda_device::codegen::test
