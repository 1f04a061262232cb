// Objects with __cuda_array_interface__ or __sycl_usm_array_interface__.
#pragma once

#include "bindings/python.h"

namespace cuda_device::bindings {

// Whether the object has one of the two. Asks for it, which runs the producer's code.
bool has_interface(nb::handle object);

}  // namespace cuda_device::bindings
