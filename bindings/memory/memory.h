// Memory in Python: buffers, arrays of our own, and what devices say of theirs.
#pragma once

#include <cstdint>

#include "bindings/python.h"

namespace cuda_device::bindings {

void register_buffers(nb::module_& module);
void register_arrays(nb::module_& module);

// Whether all pages of memory of the process are there: a read of others ends the process.
bool is_mapped(uint64_t low, uint64_t high);

}  // namespace cuda_device::bindings
