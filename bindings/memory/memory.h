// Memory in Python: buffers, arrays of our own, and what devices say of theirs.
#pragma once

#include "bindings/python.h"

namespace cuda_device::bindings {

void register_buffers(nb::module_& module);
void register_arrays(nb::module_& module);

}  // namespace cuda_device::bindings
