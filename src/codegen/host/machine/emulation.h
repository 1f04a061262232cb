// The AVX-512 form on a CPU without AVX-512, in instructions of AVX2: the same IR up to the back
// end, slower. What can be shown of that form where there is no machine for it; what the back end
// makes of it for AVX-512 is not among that.
#pragma once

#include "codegen/host/machine/target.h"

namespace cuda_device::codegen::host {

// `module`, made for AVX-512 and optimised, becomes one for `there`, a CPU's AVX2, masks included.
void emulate_avx512(llvm::Module& module, const Target& there);

}  // namespace cuda_device::codegen::host
