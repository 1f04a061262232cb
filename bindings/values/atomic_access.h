// Atomic access to memory of the host from Python.
#pragma once

#include "bindings/python.h"

namespace cuda_device::bindings {

// atomic_load, atomic_exchange, atomic_swap_if and atomic_update of an aligned array without
// dimensions; values are bytes of the element's size.
void register_atomic_access(nb::module_& module);

}  // namespace cuda_device::bindings
