// The C functions of DLPack that our own classes of arrays have (__dlpack_c_exchange_api__).
#pragma once

#include "bindings/python.h"

namespace cuda_device::bindings {

// The capsule with them: for Array, and for the classes of arrays in memory of the host. It lives
// as long as the process.
nb::object exchange_capsule();

}  // namespace cuda_device::bindings
