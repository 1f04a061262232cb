// The parameter block of a kernel, from its IR signature.
#pragma once

#include "abi/kernel_image.h"
#include "ir/ir.h"

namespace cuda_device::codegen {

abi::ParamLayout layout_of_params(const ir::Function& f);

}  // namespace cuda_device::codegen
