// Looking into compilations, and what tests and `info` ask of the runtime.
#pragma once

#include "bindings/python.h"

namespace cuda_device::bindings {

void register_inspection(nb::module_& module);

}  // namespace cuda_device::bindings
