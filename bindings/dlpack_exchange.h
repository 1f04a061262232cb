// The C functions that a library's class has for its tensors (__dlpack_c_exchange_api__).
#pragma once

#include "bindings/python.h"
#include "interop/dlpack_abi.h"

namespace cuda_device::bindings {

struct Exchange {
  const interop::dlpack::ExchangeApi* api = nullptr;
  // Whether a tensor that its library keeps says all: such a one has no flag of being read-only.
  bool views = false;
};

// The functions of the object's class. Null: it has none, or the object's __dlpack__ says more than
// they would.
Exchange exchange_of(PyObject* object);

}  // namespace cuda_device::bindings
