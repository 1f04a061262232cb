// The C functions that a library's class has for its tensors (__dlpack_c_exchange_api__).
#pragma once

#include "bindings/python.h"
#include "interop/dlpack_abi.h"

namespace cuda_device::bindings {

// Those of the object's class. Null: it has none, or the object's __dlpack__ says more than they
// would.
const interop::dlpack::ExchangeApi* exchange_of(PyObject* object);

}  // namespace cuda_device::bindings
