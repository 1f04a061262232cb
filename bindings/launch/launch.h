// cuda.device.launch
#pragma once

#include "bindings/python.h"

namespace cuda_device::bindings {

void register_launch(nb::module_& module);

}  // namespace cuda_device::bindings
