// A kernel for the target "interpreter": IR and the layout of its parameter block.
#pragma once

#include <memory>
#include <string>

#include "abi/kernel_image.h"
#include "ir/interpreter.h"

namespace cuda_device::compile {

struct InterpretedKernel {
  std::unique_ptr<ir::Function> function;
  abi::ParamLayout layout;
  uint32_t nesting = 0;  // of its regions
  ir::Schedule schedule = {};
};

void interpret_launch(const InterpretedKernel& kernel, const char* params,
                      const abi::LaunchDims& dims, LaunchReport& report);

}  // namespace cuda_device::compile
