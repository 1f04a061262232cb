// The C functions that a library's class has for its tensors (__dlpack_c_exchange_api__).
#pragma once

#include <optional>

#include "abi/array_view.h"
#include "bindings/python.h"
#include "interop/dlpack_abi.h"
#include "interop/refusal.h"

namespace cuda_device::bindings {

struct Exchange {
  const interop::dlpack::ExchangeApi* api = nullptr;
  // Whether a tensor that its library keeps says all: such a one has no flag of being read-only.
  bool views = false;
};

// The functions of the object's class. Null: it has none, or the object's __dlpack__ says more than
// they would.
Exchange exchange_of(PyObject* object);

// Why the tensor that the object has given is not what its library shows: PyTorch negates the
// elements of some as it reads them, such as those of x.conj().imag, and gives them away as they
// lie.
std::optional<interop::Refusal> refuse_negated(PyObject* object, const abi::ArrayView& view,
                                               interop::dlpack::DataType type);

}  // namespace cuda_device::bindings
