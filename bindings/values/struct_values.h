// What structs on the host need of C++ (python/cuda/device/_structs.py).
#pragma once

#include "bindings/python.h"

namespace cuda_device::bindings {

void register_struct_values(nb::module_& module);

}  // namespace cuda_device::bindings
